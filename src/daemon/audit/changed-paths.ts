import { redactAndBound } from '../redaction/index.js';

const MAX_PATHS = 200;
const MAX_PATH_CHARACTERS = 300;

/** The distinct paths that a call changed: all are counted, the first 200 are kept, without credentials in their names. */
export function boundedPaths(paths: readonly string[]): { readonly kept: readonly string[]; readonly total: number } {
  const distinct = [...new Set(paths)];
  return {
    kept: distinct.slice(0, MAX_PATHS).map((path) => redactAndBound(path, MAX_PATH_CHARACTERS).text),
    total: distinct.length,
  };
}
