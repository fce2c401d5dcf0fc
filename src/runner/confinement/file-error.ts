import type { ErrorKind } from '../../protocol/error-kinds.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';

/** What an error of the file system means to the caller of a project path. */
function fileErrorKind(error: unknown): ErrorKind {
  switch ((error as NodeJS.ErrnoException | undefined)?.code) {
    case 'ENOENT':
      return 'not_found';
    case 'ENOTDIR':
      return 'not_directory';
    case 'EISDIR':
    case 'ENXIO':
    case 'ENODEV':
      return 'not_file';
    case 'ELOOP':
    case 'ENAMETOOLONG':
    case 'EINVAL':
      return 'invalid_path';
    default:
      return 'io_error';
  }
}

const SENTENCES: Partial<Record<ErrorKind, string>> = {
  not_found: 'does not exist',
  not_directory: 'leads through something that is no folder',
  not_file: 'is no regular file',
  invalid_path: 'cannot be resolved: too many links or too long a name',
};

/** Whether the file system refused for want of a right. */
export function isPermissionError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'EACCES' || code === 'EPERM';
}

/** The refusal for an error of the file system at a project-relative path; it shows no absolute path. */
export function fileErrorRefusal(error: unknown, relative: string): Refusal {
  const kind = fileErrorKind(error);
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? 'unknown error';
  const sentence = isPermissionError(error)
    ? 'may not be accessed by the user that the Runner runs as'
    : (SENTENCES[kind] ?? `could not be accessed (${code})`);
  return refuse(kind, `${shown(relative)} ${sentence}.`, {
    path: relative,
    ...(isPermissionError(error) ? { reason_code: 'permission_denied' } : {}),
  });
}

/** A project-relative path as it stands in a sentence. */
export function shown(relative: string): string {
  return relative === '' ? "The project's folder" : JSON.stringify(relative);
}
