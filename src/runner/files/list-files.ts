import { lstat, readdir } from 'node:fs/promises';
import type { z } from 'zod';
import type { listedEntrySchema, listFilesMethod } from '../../protocol/runner/files.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import {
  fileErrorRefusal,
  pathProtection,
  resolveInsideRoot,
  secretByName,
  shown,
  type PathProtection,
} from '../confinement/index.js';
import { Places } from '../places.js';
import { isRefusal, refuse } from '../request.js';

const PARALLEL_LOOKS = 4;

type Params = z.output<typeof listFilesMethod.params>;
type Listing = z.input<typeof listFilesMethod.result>;
type Entry = z.input<typeof listedEntrySchema>;

function protectedRefusal(path: string, protection: PathProtection): Refusal {
  return refuse('sensitive_path', `${shown(path)} is protected by its name and is not listed.`, {
    reason_code: `${protection}_path`,
  });
}

/** Lists one folder in the order of its names' bytes, a page at a time. */
export async function listFiles(params: Params): Promise<Listing | Refusal> {
  if (secretByName(params.path)) return protectedRefusal(params.path, 'secret');
  const place = await resolveInsideRoot(params.root, params.path);
  if (isRefusal(place)) return place;
  const protection = pathProtection(place.relative) ?? pathProtection(place.realRelative);
  if (protection !== null) return protectedRefusal(place.relative, protection);
  try {
    const names = await readdir(place.path, { encoding: 'buffer' });
    const isBulk = (name: Buffer): boolean => pathProtection(name.toString('utf8')) === 'bulk';
    const listed = names.filter((name) => !isBulk(name)).sort((a, b) => Buffer.compare(a, b));
    const page = listed.slice(params.offset, params.offset + params.limit);
    const looks = new Places(PARALLEL_LOOKS);
    const entries = await Promise.all(page.map((name) => looks.run(() => look(place.path, place.relative, name))));
    return {
      path: place.relative,
      entries: entries.filter((entry) => entry !== null),
      total_count: listed.length,
      left_out: names.filter(isBulk).map((name) => name.toString('utf8')).sort(),
    };
  } catch (error) {
    return fileErrorRefusal(error, place.relative);
  }
}

/** One entry, or null when it went away meanwhile. */
async function look(folder: string, relative: string, name: Buffer): Promise<Entry | null> {
  const text = name.toString('utf8');
  const entry = {
    path: relative === '' ? text : `${relative}/${text}`,
    ...(Buffer.from(text).equals(name) ? {} : { path_is_lossy: true as const }),
    ...(pathProtection(text) === 'secret' ? { protected: true as const } : {}),
  };
  try {
    const status = await lstat(Buffer.concat([Buffer.from(`${folder}/`), name]));
    if (status.isFile()) return { ...entry, type: 'file', size_bytes: status.size };
    return { ...entry, type: status.isDirectory() ? 'directory' : status.isSymbolicLink() ? 'link' : 'other' };
  } catch {
    return null;
  }
}
