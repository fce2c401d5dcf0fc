import type { Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';

/** The longest project-relative path that is looked at, in bytes (PATH_MAX of Linux). */
const MAX_PATH_BYTES = 4096;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A lexically sound path of a project: relative, without `.`, `..`, empty parts or NUL; `''` is the root. */
export interface ProjectPath {
  readonly relative: string;
}

/**
 * Reads a caller's path by its text alone (spec 04 §1): project-relative only.
 * Absolute paths, `..` anywhere and NUL are `invalid_path`; `.` and empty parts are dropped.
 */
export function parseProjectPath(text: string): ProjectPath | Refusal {
  const reason = whyInvalid(text);
  if (reason !== null) {
    return refuse('invalid_path', `${reason.sentence} Give a path relative to the project's folder.`, {
      reason_code: reason.code,
    });
  }
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  return { relative: parts.join('/') };
}

function whyInvalid(text: string): { code: string; sentence: string } | null {
  if (text.includes('\0')) return { code: 'path_has_nul', sentence: 'The path has a NUL character.' };
  if (text.startsWith('/')) return { code: 'path_absolute', sentence: 'The path is absolute.' };
  if (text.split('/').includes('..')) return { code: 'path_has_parent', sentence: 'The path has a ".." part.' };
  if (LONE_SURROGATE.test(text)) return { code: 'path_not_unicode', sentence: 'The path is not well-formed Unicode.' };
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) {
    return { code: 'path_too_long', sentence: `The path is longer than ${MAX_PATH_BYTES} bytes.` };
  }
  return null;
}
