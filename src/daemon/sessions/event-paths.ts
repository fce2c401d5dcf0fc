import { redactText } from '../redaction/index.js';
import { PATH_BYTES } from './limits.js';

const CONTROL = /\p{Cc}/u;
const SCHEME_OR_DRIVE = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * The project-relative paths that an event may keep (spec 06 §7.3): lexical, without `.`
 * and empty parts, each at most 512 bytes, unique, in their order, at most `limit`.
 * Whatever is absolute, leaves the project or is no plain path is left out, and a
 * credential in a name is cut out of it.
 */
export function eventPaths(paths: readonly string[], limit: number): string[] {
  const kept = new Set<string>();
  for (const path of paths) {
    if (kept.size === limit) break;
    const normal = projectRelative(path);
    if (normal !== null) kept.add(redactText(normal).text);
  }
  return [...kept];
}

function projectRelative(path: string): string | null {
  if (Buffer.byteLength(path) > PATH_BYTES || CONTROL.test(path)) return null;
  if (/^[/\\]/.test(path) || SCHEME_OR_DRIVE.test(path)) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? null : parts.join('/');
}
