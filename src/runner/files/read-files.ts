import type { z } from 'zod';
import type { FailedItem, ReadItem, readFilesMethod } from '../../protocol/runner/files.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { verifyRoot } from '../confinement/index.js';
import { failedItem } from '../failed-item.js';
import { Places } from '../places.js';
import { isRefusal } from '../request.js';
import type { BoundedWork } from './bounded-work.js';
import { readItem } from './read-item.js';

const PARALLEL_ITEMS = 4;

type Params = z.output<typeof readFilesMethod.params>;

/** Reads a batch of items, four at a time; what did not end in time fails by itself. */
export async function readFiles(
  params: Params,
  work: BoundedWork,
): Promise<{ items: (ReadItem | FailedItem)[] } | Refusal> {
  const root = await work.run(() => verifyRoot(params.root));
  if (isRefusal(root)) return root;
  const context = { root, project: params.project, maxTextBytes: params.max_text_bytes, signal: work.signal };
  const own = new Places(PARALLEL_ITEMS);
  const answers = await Promise.all(params.items.map((item) => work.run(() => readItem(item, context), own)));
  const items = answers.map((answer, index) =>
    isRefusal(answer) ? failedItem(answer, index, params.items[index]?.path ?? '') : { index, ...answer },
  );
  return work.cancelled() ?? { items };
}
