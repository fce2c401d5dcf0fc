import { lookAtWorkFile, readWorkFile } from '../git/work-file.js';
import { digestOf } from './contents.js';
import type { WorkState } from './document.js';

/** What lies at a path now, with its bytes; `odd` for a folder, a device, or a path through a link. */
export type FoundState =
  | { readonly state: Exclude<WorkState, { state: 'submodule' }>; readonly content: Buffer | null }
  | 'odd'
  /** It changed while it was read. */
  | 'changing'
  | 'too_large';

/** Looks at a path of the work tree and reads it, up to a bound in bytes. */
export async function findState(root: string, path: string, maxBytes: number): Promise<FoundState> {
  const file = await lookAtWorkFile(root, path);
  if (file.kind === 'missing') return { state: { state: 'missing' }, content: null };
  if (file.kind !== 'file' && file.kind !== 'link') return 'odd';
  if (file.status.size > maxBytes) return 'too_large';
  const content = await readWorkFile(file);
  if (content === null) return 'changing';
  const sha256 = digestOf(content);
  if (file.kind === 'link') return { state: { state: 'link', sha256 }, content };
  return { state: { state: 'file', permissions: Number(file.status.mode & 0o777n), sha256 }, content };
}

/** Whether two states hold the same, permissions included. */
export function isSameWork(one: WorkState, other: WorkState): boolean {
  if (one.state === 'file' && other.state === 'file') return one.sha256 === other.sha256 && one.permissions === other.permissions;
  if (one.state === 'link' && other.state === 'link') return one.sha256 === other.sha256;
  return one.state === other.state;
}
