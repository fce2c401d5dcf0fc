import { posix } from 'node:path';
import type { Failure } from '../../../protocol/tool-result.js';
import { canonicalFolder } from '../canonical-target.js';
import { notOffered } from '../refusals.js';

const MAX_FOLDER_BYTES = 500;

/**
 * A package selector as a folder of the project, `.` for its root, or the refusal:
 * `validation_scope_unavailable` for what is no relative path inside the project.
 */
export function packageFolder(selector: string): { readonly folder: string } | { readonly failure: Failure } {
  const folder = canonicalFolder(selector);
  const names = folder.split('/');
  const isFolder =
    folder === '.' ||
    (Buffer.byteLength(folder) <= MAX_FOLDER_BYTES && !/\p{Cc}/u.test(folder) && names.every((name) => name !== '' && name !== '.' && name !== '..') && !folder.startsWith('-'));
  if (isFolder) return { folder };
  return {
    failure: notOffered('validation_scope_unavailable', 'A package of this project is named by its folder, relative to the project and inside it.', {
      reason_code: 'invalid_package_folder',
    }),
  };
}

/** A path below a folder of the project. */
export function inFolder(folder: string, path: string): string {
  return folder === '.' ? path : `${folder}/${path}`;
}

/** A folder of the project and those around it up to the root, the innermost first. */
export function foldersUpwards(folder: string): readonly string[] {
  if (folder === '.') return ['.'];
  const names = folder.split('/');
  return [...names.map((_name, index) => names.slice(0, names.length - index).join('/')), '.'];
}

/** A path of the project as seen from one of its folders. */
export function fromFolder(folder: string, path: string): string {
  return posix.relative(folder, path);
}
