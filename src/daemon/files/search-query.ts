import { z } from 'zod';
import { PATTERN_MODES, RESULT_MODES, type FoundItem, type SearchQuery } from '../../protocol/runner/search.js';
import { clamped } from '../kernel/tool.js';
import type { AskedQuery } from './fit-search.js';

/** All queries together, unless one of them asks for longer. */
const SHARED_SECS = 30;
/** What an answer takes after the search itself, in milliseconds. */
const ANSWER_MS = 2_000;
const MAX_OFFSET = 20_000;

const globs = (description: string): z.ZodDefault<z.ZodArray<z.ZodString>> =>
  z.array(z.string().min(1).max(256)).max(32).default([]).meta({ description });

/** One query of a search, as callers give it (spec 04 §7.5). */
export const searchQuery = z.strictObject({
  pattern: z.string().min(1).max(16_000),
  pattern_mode: z.enum(PATTERN_MODES).default('regex'),
  path: z.string().default('').meta({ description: 'Project-relative folder or file to search; all when left out' }),
  limit: clamped(1, 1000, 100),
  offset: clamped(0, MAX_OFFSET, 0),
  context_before: clamped(0, 80, 0),
  context_after: clamped(0, 80, 0),
  include_globs: globs('Only files that one of these matches, for example *.ts or src/**'),
  exclude_globs: globs('No file that one of these matches'),
  include_ignored: z.boolean().default(false).meta({ description: 'Files that Git ignores as well' }),
  result_mode: z.enum(RESULT_MODES).default('matches'),
  timeout_secs: z
    .int()
    .min(1)
    .default(SHARED_SECS)
    .overwrite((secs) => Math.min(secs, 120))
    .meta({ description: '1..120, larger values are cut' }),
});
/** One query, with its defaults. */
export type GivenQuery = z.output<typeof searchQuery>;

/** The query as the Runner takes it. */
export function runnerQuery({ timeout_secs, ...rest }: GivenQuery): SearchQuery {
  return { ...rest, timeout_ms: timeout_secs * 1000 };
}

/** The bound on all queries: what the longest asks for, but an answer that somebody waits for comes in time. */
export function boundMs(queries: readonly GivenQuery[], answerWithinMs: number | null): number {
  const asked = Math.max(SHARED_SECS, ...queries.map((one) => one.timeout_secs)) * 1000;
  return answerWithinMs === null ? asked : Math.min(asked, Math.max(1000, answerWithinMs - ANSWER_MS));
}

/** A query without what is as its default anyway, for the call that goes on behind it. */
export function askedQuery(given: GivenQuery): AskedQuery {
  const defaults: Partial<Record<string, unknown>> = searchQuery.parse({ pattern: given.pattern });
  const said = Object.entries(given).filter(
    ([name, value]) => name === 'pattern' || JSON.stringify(value) !== JSON.stringify(defaults[name]),
  );
  return { arguments: Object.fromEntries(said), offset: given.offset, limit: given.limit };
}

/** The paths that a query's records are about. */
export function foundPaths(one: FoundItem): string[] {
  return one.files ?? (one.matches ?? one.counts ?? []).map(({ path }) => path);
}
