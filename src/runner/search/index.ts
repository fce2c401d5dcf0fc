import { listTrackedMethod, overviewMethod } from '../../protocol/runner/find-files.js';
import { searchTextsMethod } from '../../protocol/runner/search.js';
import { Places } from '../places.js';
import { serve, type RunnerService } from '../request.js';
import { overview } from './overview.js';
import { RepositoryKnowledge } from './repository-knowledge.js';
import { ripgrepPath } from './ripgrep-path.js';
import type { RipgrepRun } from './run-ripgrep.js';
import { searchTexts } from './search-texts.js';
import { trackedFiles } from './tracked-files.js';

/** Searches of the whole process at a time; each takes all processors. */
const PARALLEL_SEARCHES = 4;

export interface SearchServicesOptions {
  /** What ripgrep is started with: HOME for the user's ignore file, and the like. */
  readonly environment: () => RipgrepRun['environment'] | Promise<RipgrepRun['environment']>;
  /** Where ripgrep is; the one of our own packages when left out. */
  readonly ripgrep?: string;
}

/** Searching and finding the files of a project (spec 04 §7.5; spec 00, decision 34). */
export function createSearchServices(options: SearchServicesOptions): readonly RunnerService[] {
  const shared = new Places(PARALLEL_SEARCHES);
  const knowledge = new RepositoryKnowledge(() => performance.now());
  return [
    serve(searchTextsMethod, async (params, { signal }) =>
      searchTexts(params, signal, {
        ripgrep: options.ripgrep ?? (await ripgrepPath()),
        environment: await options.environment(),
        shared,
        knowledge,
      }),
    ),
    serve(listTrackedMethod, async (params, { signal }) => trackedFiles(params, knowledge, await options.environment(), signal)),
    serve(overviewMethod, async (params, { signal }) => overview(params, await options.environment(), signal)),
  ];
}
