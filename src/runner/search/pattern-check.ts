import type { SearchQuery } from '../../protocol/runner/search.js';
import { patternArguments } from './ripgrep-arguments.js';
import { runRipgrep, type RipgrepRun } from './run-ripgrep.js';

/** With what ripgrep is asked. */
export type RipgrepPlace = Pick<RipgrepRun, 'executable' | 'folder' | 'environment' | 'signal'>;

const NO_MATCH = 1;

/**
 * Why a search with an error ended so, found by experiment and not by its words: the
 * pattern alone, and one that is surely sound, are tried on nothing.
 *
 * @returns `engine_missing` when the pattern needs PCRE2 and this ripgrep has none
 */
export async function checkPattern(
  query: SearchQuery,
  place: RipgrepPlace,
): Promise<'sound' | 'unsound' | 'engine_missing' | 'ripgrep_broken'> {
  if ((await tryPattern(query, place)) === NO_MATCH) return 'sound';
  if ((await tryPattern({ pattern: 'x', pattern_mode: 'literal' }, place)) !== NO_MATCH) return 'ripgrep_broken';
  const isMissing = needsPcre2(query.pattern) && (await exitCode(['--pcre2-version'], place)) !== 0;
  return isMissing ? 'engine_missing' : 'unsound';
}

function tryPattern(
  query: Pick<SearchQuery, 'pattern' | 'pattern_mode'>,
  place: RipgrepPlace,
): Promise<number | null> {
  return exitCode(['--no-config', '--quiet', ...patternArguments(query), '--', '/dev/null'], place);
}

/** Look-around and back references are beyond the default engine. */
function needsPcre2(pattern: string): boolean {
  return /\(\?<?[=!]|\\[1-9]/.test(pattern);
}

async function exitCode(args: readonly string[], place: RipgrepPlace): Promise<number | null> {
  const end = await runRipgrep({
    ...place,
    arguments: args,
    records: { delimiter: 10, maxBytes: 0 },
    onRecord: () => true,
    onStderrLine: () => undefined,
  });
  return end.how === 'exited' ? end.exitCode : null;
}
