import { z } from 'zod';
import { readFilesMethod } from '../../../protocol/runner/files.js';
import { MAX_QUERIES, searchTextsMethod } from '../../../protocol/runner/search.js';
import { failure, success, type JsonObject } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { fitRead } from '../fit-read.js';
import { fitSearch } from '../fit-search.js';
import { matchWindows, staleMatches, type MatchWindow } from '../match-windows.js';
import { RESULT_BYTES } from '../result-bytes.js';
import { runnerRoot } from '../runner-root.js';
import { askedQuery, boundMs, foundPaths, runnerQuery, searchQuery } from '../search-query.js';

/** What names and braces around the two parts of an answer take, in bytes. */
const FRAME_BYTES = 256;

const query = searchQuery.omit({ result_mode: true, context_before: true, context_after: true });
const part = z.looseObject({ items: z.array(z.looseObject({ index: z.int(), success: z.boolean() })), truncated: z.boolean() });

/** `search_file_context`: a search, and the lines around what it found from one snapshot of each file (spec 04 §7.5). */
export function searchFileContext(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'search_file_context',
      title: 'Search and read around',
      summary: 'Searches files and reads the lines around the matches, each range with its read_revision.',
      description:
        'Give either query or queries. Matches of a file that lie close together are read at once; matches_not_read counts ' +
        'those beyond max_reads. stale_matches says that a file changed between search and read.',
      category: 'file',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      direct_rank: 23,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'read_before', 'read_after', 'max_reads', 'max_result_bytes'],
      input: z
        .strictObject({
          project: projectSelector,
          session_id: sessionSelector.optional(),
          query: query.optional(),
          queries: z.array(query).min(1).max(MAX_QUERIES).optional(),
          read_before: clamped(0, 100, 40),
          read_after: clamped(0, 100, 40),
          max_reads: clamped(1, 8, 8),
          max_result_bytes: clamped(RESULT_BYTES.least, RESULT_BYTES.most, RESULT_BYTES.usual),
        })
        .refine((given) => (given.query === undefined) !== (given.queries === undefined), 'give either query or queries'),
      output: z.looseObject({ search: part, reads: part, matches_not_read: z.int(), truncated: z.boolean(), max_result_bytes: z.int() }),
    },
    async (args, call) => {
      const project = projectOf(call);
      const queries = (args.queries ?? (args.query === undefined ? [] : [args.query])).map((one) => searchQuery.parse(one));
      const half = Math.floor((args.max_result_bytes - FRAME_BYTES) / 2);
      const searched = await runner.call(
        searchTextsMethod,
        {
          root: runnerRoot(project),
          queries: queries.map(runnerQuery),
          bound_ms: boundMs(queries, call.answerWithinMs),
          max_text_bytes: half,
        },
        { signal: call.signal },
      );
      if ('failure' in searched) return { result: searched.failure };
      const found = searched.answer.items;
      const { windows, left } = matchWindows(found, { before: args.read_before, after: args.read_after, most: args.max_reads });
      const items = windows.map(({ path, start, end }) => ({ path, start_line: start, limit: end - start + 1 }));
      const read = await runner.call(
        readFilesMethod,
        { root: runnerRoot(project), project: project.id, items, max_text_bytes: half },
        { signal: call.signal },
      );
      if ('failure' in read) return { result: read.failure };
      const search = fitSearch(found, queries.map(askedQuery), { project: project.id, maxResultBytes: half });
      const reads = fitRead(read.answer.items, items, { project: project.id, withLineNumbers: false, maxResultBytes: half });
      if (search === null || reads === null) {
        return {
          result: failure('output_budget_exceeded', 'The counts of the queries alone pass max_result_bytes; send fewer queries or raise it.'),
        };
      }
      const succeeded = found.filter((one) => one.success);
      return {
        result: success({
          search: withoutBound(search),
          reads: withoutBound({ ...reads, items: withStale(reads, windows, read.answer.items) }),
          matches_not_read: left,
          truncated: search['truncated'] === true || reads['truncated'] === true || left > 0,
          max_result_bytes: args.max_result_bytes,
        }),
        facts: {
          observedPaths: [...new Set([...succeeded.flatMap(foundPaths), ...windows.map(({ path }) => path)])],
          contextResultSummary: { queries: found.length, queries_answered: succeeded.length, reads: windows.length },
        },
      };
    },
  );
}

/** The bound of a part is none of the caller's. */
function withoutBound(output: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(output).filter(([name]) => name !== 'max_result_bytes'));
}

type Answered = Parameters<typeof fitRead>[0];

function withStale(reads: JsonObject, windows: readonly MatchWindow[], answered: Answered): JsonObject[] {
  return (reads['items'] as readonly JsonObject[]).map((item, index) => {
    const [window, read] = [windows[index], answered[index]];
    const stale = window !== undefined && read?.success === true ? staleMatches(window, read) : 0;
    return stale === 0 ? item : { ...item, stale_matches: stale };
  });
}
