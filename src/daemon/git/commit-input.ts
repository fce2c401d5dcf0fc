import { z } from 'zod';
import { COMMIT_PATTERN } from '../../protocol/runner/git-diff.js';
import { MAX_WRITE_PATH_BYTES, MAX_WRITE_PATHS } from '../../protocol/runner/git-writes.js';

/** A commit by its full name: what a branch is called may be another commit a moment later. */
export const commitInput = z.string().regex(COMMIT_PATTERN, 'must be a full object name of 40 (SHA-256: 64) lower hex digits');

/** Paths that narrow a read. */
export const readPathsInput = z
  .array(z.string().min(1))
  .max(64)
  .default([])
  .meta({ description: 'Project-relative files or folders; all when left out' });

/** Paths that a write is about. */
export const writePathsInput = z
  .array(
    z
      .string()
      .min(1)
      .refine((path) => Buffer.byteLength(path) <= MAX_WRITE_PATH_BYTES, `a path has at most ${MAX_WRITE_PATH_BYTES} bytes`),
  )
  .min(1)
  .max(MAX_WRITE_PATHS)
  .meta({ description: 'Project-relative files' });

/** The bound of a page. */
export function pageBytes(fallback: number): z.ZodType<number, number | undefined> {
  return z
    .int()
    .default(fallback)
    .overwrite((value) => Math.min(MAX_PAGE_BYTES, Math.max(MIN_PAGE_BYTES, value)))
    .meta({ description: 'Bytes of the whole result, 16 KiB to 192 KiB' });
}

const MIN_PAGE_BYTES = 16 * 1024;
export const MAX_PAGE_BYTES = 192 * 1024;
