import { createHash } from 'node:crypto';
import type { WindowKey } from '../../protocol/ids.js';

const DOMAIN = 'wc.client-window.v1';
const VISIBLE_ASCII = /^[\x21-\x7e]{1,256}$/;

/** Where a window's value came from: the host's own metadata, or an explicit word on the terminal. */
export type WindowSource = 'openai-session' | 'cli-window';

/**
 * The digest that stands for a host's window (spec 02 §D1); null when the value has not
 * its form. The raw value is kept nowhere, and nothing else ever stands in for it.
 */
export function windowKey(source: WindowSource, raw: string | undefined): WindowKey | null {
  const value = raw?.trim() ?? '';
  if (!VISIBLE_ASCII.test(value)) return null;
  return createHash('sha256').update(`${DOMAIN}\0${source}\0${value}`).digest('hex') as WindowKey;
}
