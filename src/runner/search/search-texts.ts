import type { z } from 'zod';
import type { FailedItem } from '../../protocol/runner/files.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { FoundItem, searchTextsMethod } from '../../protocol/runner/search.js';
import { verifyRoot } from '../confinement/index.js';
import { boundedSignal, endedRefusal } from '../deadline.js';
import { failedItem } from '../failed-item.js';
import { Places } from '../places.js';
import { isRefusal, refuse } from '../request.js';
import type { RepositoryKnowledge } from './repository-knowledge.js';
import type { RipgrepRun } from './run-ripgrep.js';
import { searchOne } from './search-one.js';

const PARALLEL_QUERIES = 2;

type Params = z.output<typeof searchTextsMethod.params>;

export interface SearchTools {
  /** Where ripgrep is; null when its package has none for this platform. */
  readonly ripgrep: string | null;
  readonly environment: RipgrepRun['environment'];
  /** Bounds the searches of the whole process. */
  readonly shared: Places;
  readonly knowledge: RepositoryKnowledge;
}

/** Runs a batch of queries, two at a time, within one bound for all of them. */
export async function searchTexts(
  params: Params,
  signal: AbortSignal,
  { ripgrep, environment, shared, knowledge }: SearchTools,
): Promise<{ items: (FoundItem | FailedItem)[] } | Refusal> {
  const root = await verifyRoot(params.root);
  if (isRefusal(root)) return root;
  if (ripgrep === null) {
    return refuse(
      'search_backend_feature_unavailable',
      'The package of ripgrep for this platform is not installed; install wc again with its optional packages.',
    );
  }
  const bounded = boundedSignal(signal, params.bound_ms);
  const own = new Places(PARALLEL_QUERIES);
  const answers = await Promise.all(
    params.queries.map((query) =>
      own.run(() =>
        shared.run(() => {
          const context = { root, project: params.root, knowledge, ripgrep, environment, signal: boundedSignal(bounded, query.timeout_ms) };
          return searchOne(query, { ...context, maxTextBytes: params.max_text_bytes });
        }),
      ),
    ),
  );
  if (signal.aborted) return endedRefusal(signal, 'The search');
  const items = answers.map((answer, index) =>
    isRefusal(answer) ? failedItem(answer, index, params.queries[index]?.path ?? '') : { index, ...answer },
  );
  return { items };
}
