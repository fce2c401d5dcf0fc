import type { SearchQuery } from '../../protocol/runner/search.js';
import { patternArguments } from './ripgrep-arguments.js';
import { runRipgrep } from './run-ripgrep.js';
import type { PlainRun } from './told-run.js';

const NO_MATCH = 1;

/**
 * Why a search with an error ended so, found by experiment and not by its words: the
 * pattern alone, and one that is surely sound, are tried on nothing.
 *
 * @returns `engine_missing` when the pattern needs PCRE2 and this ripgrep has none
 */
export async function checkPattern(
  query: SearchQuery,
  run: PlainRun,
): Promise<'sound' | 'unsound' | 'engine_missing' | 'ripgrep_broken'> {
  if ((await tryPattern(query, run)) === NO_MATCH) return 'sound';
  if ((await tryPattern({ pattern: 'x', pattern_mode: 'literal' }, run)) !== NO_MATCH) return 'ripgrep_broken';
  const isMissing = needsPcre2(query.pattern) && (await exitCode(['--pcre2-version'], run)) !== 0;
  return isMissing ? 'engine_missing' : 'unsound';
}

function tryPattern(
  query: Pick<SearchQuery, 'pattern' | 'pattern_mode'>,
  run: PlainRun,
): Promise<number | null> {
  return exitCode(['--no-config', '--quiet', ...patternArguments(query), '--', '/dev/null'], run);
}

/** Look-around and back references are beyond the default engine. */
function needsPcre2(pattern: string): boolean {
  return /\(\?<?[=!]|\\[1-9]/.test(pattern);
}

async function exitCode(args: readonly string[], run: PlainRun): Promise<number | null> {
  const end = await runRipgrep({
    ...run,
    arguments: args,
    records: { delimiter: 10, maxBytes: 0 },
    onRecord: () => true,
    stderr: null,
  });
  return end.how === 'exited' ? end.exitCode : null;
}
