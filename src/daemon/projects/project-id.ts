import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { ProjectId } from '../../protocol/ids.js';
import { LOCAL_CLIENT } from './registered-project.js';

/** An id that a caller chooses. */
export const SHORT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** How many hex digits of the path's hash make an id unique, tried in this order. */
const SUFFIX_LENGTHS = [4, 8, 12, 16, 24, 32, 48, 64];

const MAX_STEM = 63;

/** The canonical id of a project of our Runner. */
export function projectIdOf(shortId: string): ProjectId {
  return `agent:${LOCAL_CLIENT}:${shortId}` as ProjectId;
}

/**
 * The ids that a folder may get by itself, best first: its own name, then that name
 * with more and more of its path's hash. Characters that ids do not have become `-`.
 */
export function automaticShortIds(path: string): readonly string[] {
  const stem = basename(path)
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_STEM);
  const name = /^\.*$/.test(stem) ? 'project' : stem;
  const hash = createHash('sha256').update(path).digest('hex');
  return [name, ...SUFFIX_LENGTHS.map((length) => `${name}-${hash.slice(0, length)}`)];
}
