import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeftOutListener } from './left-out.js';
import { MAX_FILE_BYTES } from './ripgrep-arguments.js';

const CHUNK_BYTES = 64 * 1024;
const UTF16_MARKS = [Buffer.of(0xfe, 0xff), Buffer.of(0xff, 0xfe)];

/**
 * Which of some tracked files that a rule ignores can be searched by their name: regular
 * files, neither too large nor binary, by the same measures as all others.
 *
 * @param root the project's folder, absolute
 * @param paths project-relative
 */
export async function searchable(root: string, paths: readonly string[], listener: LeftOutListener): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const kind = await kindOf(join(root, path));
    if (kind !== 'other') listener.addSearched(path);
    if (kind === 'text') files.push(path);
    else if (kind === 'binary') listener.addBinary(path);
    else if (kind === 'too_large') listener.addTooLarge();
  }
  return files;
}

async function kindOf(path: string): Promise<'text' | 'binary' | 'too_large' | 'other'> {
  try {
    const status = await lstat(path);
    if (!status.isFile()) return 'other';
    if (status.size > MAX_FILE_BYTES) return 'too_large';
    return (await hasNul(path)) ? 'binary' : 'text';
  } catch (error) {
    // Deleted or left out by a sparse checkout; what may not be read ripgrep says by itself.
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'text' : 'other';
  }
}

/** A file with a NUL byte is binary, unless it says that it is UTF-16. */
async function hasNul(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let isFirst = true; ; isFirst = false) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) return false;
      const read = chunk.subarray(0, bytesRead);
      if (isFirst && UTF16_MARKS.some((mark) => read.subarray(0, 2).equals(mark))) return false;
      if (read.includes(0)) return true;
    }
  } finally {
    await file.close();
  }
}
