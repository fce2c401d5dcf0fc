import type { BigIntStats } from 'node:fs';
import { z } from 'zod';

/**
 * What tells one file from another that took its name: inode, size and time of the last
 * write. A second name or a new one leaves them as they are.
 */
export const fileMarkSchema = z.strictObject({ ino: z.string(), size: z.string(), mtime_ns: z.string() });
export type FileMark = z.infer<typeof fileMarkSchema>;

export function fileMark({ ino, size, mtimeNs }: BigIntStats): FileMark {
  return { ino: String(ino), size: String(size), mtime_ns: String(mtimeNs) };
}

export function isMarked(mark: FileMark, status: BigIntStats): boolean {
  return mark.ino === String(status.ino) && mark.size === String(status.size) && mark.mtime_ns === String(status.mtimeNs);
}
