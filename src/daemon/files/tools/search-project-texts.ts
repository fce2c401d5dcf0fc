import { z } from 'zod';
import {
  MAX_QUERIES,
  PATTERN_MODES,
  RESULT_MODES,
  searchTextsMethod,
  type FoundItem,
  type SearchQuery,
} from '../../../protocol/runner/search.js';
import { failure, success } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { fitSearch, type AskedQuery } from '../fit-search.js';
import { RESULT_BYTES } from '../result-bytes.js';
import { runnerRoot } from '../runner-root.js';

/** All queries together, unless one of them asks for longer. */
const SHARED_SECS = 30;
/** What an answer takes after the search itself, in milliseconds. */
const ANSWER_MS = 2_000;
const MAX_OFFSET = 20_000;

const globs = (description: string): z.ZodDefault<z.ZodArray<z.ZodString>> =>
  z.array(z.string().min(1).max(256)).max(32).default([]).meta({ description });

const query = z.strictObject({
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
type Query = z.output<typeof query>;

const item = z.looseObject({ index: z.int(), success: z.boolean() });

/** `search_project_texts`: up to eight searches by ripgrep, and what they left out (spec 04 §7.5). */
export function searchProjectTexts(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'search_project_texts',
      title: 'Search project texts',
      summary: 'Searches files by regex or literal text: matches with context, files, or counts.',
      description:
        'Searches tracked and unignored files, hidden ones too; .git, node_modules, target, other work trees, nested ' +
        'repositories and protected files never. left_out counts what was passed over. Queries fail one by one; nothing ' +
        'found is said only after a complete search. Records are sorted by path; go on at next_offset, or by suggested_call.',
      category: 'file',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      direct_rank: 22,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'max_result_bytes'],
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        queries: z.array(query).min(1).max(MAX_QUERIES),
        max_result_bytes: clamped(RESULT_BYTES.least, RESULT_BYTES.most, RESULT_BYTES.usual),
      }),
      output: z.looseObject({ items: z.array(item), truncated: z.boolean(), max_result_bytes: z.int() }),
    },
    async (args, call) => {
      const project = projectOf(call);
      const answered = await runner.call(
        searchTextsMethod,
        {
          root: runnerRoot(project),
          queries: args.queries.map(runnerQuery),
          bound_ms: boundMs(args.queries, call.answerWithinMs),
          max_text_bytes: args.max_result_bytes,
        },
        { signal: call.signal },
      );
      if ('failure' in answered) return { result: answered.failure };
      const { items } = answered.answer;
      const output = fitSearch(items, args.queries.map(askedQuery), {
        project: project.id,
        maxResultBytes: args.max_result_bytes,
      });
      if (output === null) {
        return {
          result: failure('output_budget_exceeded', 'The counts of the queries alone pass max_result_bytes; send fewer queries or raise it.'),
        };
      }
      const found = items.filter((one) => one.success);
      return {
        result: success(output),
        facts: {
          observedPaths: [...new Set(found.flatMap(pathsOf))],
          contextResultSummary: {
            queries: items.length,
            queries_answered: found.length,
            records: found.reduce((sum, one) => sum + one.total_count, 0),
          },
        },
      };
    },
  );
}

function runnerQuery({ timeout_secs, ...rest }: Query): SearchQuery {
  return { ...rest, timeout_ms: timeout_secs * 1000 };
}

/** The bound on all queries: what the longest asks for, but an answer that somebody waits for comes in time. */
function boundMs(queries: readonly Query[], answerWithinMs: number | null): number {
  const asked = Math.max(SHARED_SECS, ...queries.map((one) => one.timeout_secs)) * 1000;
  return answerWithinMs === null ? asked : Math.min(asked, Math.max(1000, answerWithinMs - ANSWER_MS));
}

/** A query without what is as its default anyway, for the call that goes on behind it. */
function askedQuery(given: Query): AskedQuery {
  const defaults: Partial<Record<string, unknown>> = query.parse({ pattern: given.pattern });
  const said = Object.entries(given).filter(
    ([name, value]) => name === 'pattern' || JSON.stringify(value) !== JSON.stringify(defaults[name]),
  );
  return { arguments: Object.fromEntries(said), offset: given.offset, limit: given.limit };
}

function pathsOf(one: FoundItem): string[] {
  return one.files ?? (one.matches ?? one.counts ?? []).map(({ path }) => path);
}
