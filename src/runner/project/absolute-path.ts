import { isAbsolute, normalize } from 'node:path';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';
import { UNCHANGED } from './unchanged.js';

/** The longest absolute path that is looked at, in bytes (PATH_MAX of Linux). */
const MAX_PATH_BYTES = 4096;

/** A caller's folder path, normalized by its text alone. */
export interface AbsolutePath {
  readonly absolute: string;
}

/** Reads a caller's folder path: absolute, without control characters, well-formed Unicode. */
export function parseAbsolutePath(text: string): AbsolutePath | Refusal {
  if (!isAbsolute(text)) return invalid('path_not_absolute', 'give the absolute path of a folder');
  if (/\p{Cc}/u.test(text)) return invalid('path_has_control_character', 'the path has a control character');
  if (/\p{Cs}/u.test(text)) return invalid('path_not_unicode', 'the path is not well-formed Unicode');
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) {
    return invalid('path_too_long', `the path is longer than ${MAX_PATH_BYTES} bytes`);
  }
  return { absolute: normalize(text) };
}

function invalid(reason: string, message: string): Refusal {
  return refuse('invalid_project_path', message, { ...UNCHANGED, reason_code: reason });
}
