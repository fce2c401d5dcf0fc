import type { GitHunk } from '../../protocol/runner/git.js';

/** The hunks that fit into a bound on the JSON of the whole output. */
export interface FittedHunks {
  readonly hunks: readonly GitHunk[];
  readonly left: number;
}

/**
 * Keeps hunks from the first on while the JSON of the output stays within the bound.
 *
 * @param outputBytes the JSON of the output with an empty list of hunks, in UTF-8 bytes
 */
export function fitHunks(hunks: readonly GitHunk[], outputBytes: number, maxBytes: number): FittedHunks {
  let bytes = outputBytes;
  let kept = 0;
  for (const hunk of hunks) {
    bytes += Buffer.byteLength(JSON.stringify(hunk)) + 1;
    if (bytes > maxBytes) break;
    kept += 1;
  }
  return { hunks: hunks.slice(0, kept), left: hunks.length - kept };
}
