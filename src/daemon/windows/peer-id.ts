import type { WindowKey } from '../../protocol/ids.js';

const HEX_SHOWN = 32;
const PEER_ID = /^wc_peer_[0-9a-f]{32}$/;

/** What stands in the place of a peer where the operator speaks. */
export const OPERATOR = 'operator';

/** The id that a window has for the other windows of its principal. */
export function peerId(window: WindowKey): string {
  return `wc_peer_${window.slice(0, HEX_SHOWN)}`;
}

export function isPeerId(text: string): boolean {
  return PEER_ID.test(text);
}

/** The one window of that id among `windows`; an id that two of them have is nobody's. */
export function windowOfPeer(id: string, windows: Iterable<WindowKey>): WindowKey | null {
  const found = new Set([...windows].filter((window) => peerId(window) === id));
  const [only] = found;
  return found.size === 1 && only !== undefined ? only : null;
}
