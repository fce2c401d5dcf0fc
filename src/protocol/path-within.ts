import { sep } from 'node:path';

/** Whether `path` is `folder` itself or lies in it, by their text; both absolute and resolved. */
export function isPathWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
