import { z } from 'zod';
import { MAX_QUERIES, searchTextsMethod } from '../../../protocol/runner/search.js';
import { failure, success } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { fitSearch } from '../fit-search.js';
import { RESULT_BYTES } from '../result-bytes.js';
import { runnerRoot } from '../runner-root.js';
import { askedQuery, boundMs, foundPaths, runnerQuery, searchQuery } from '../search-query.js';

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
        queries: z.array(searchQuery).min(1).max(MAX_QUERIES),
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
          observedPaths: [...new Set(found.flatMap(foundPaths))],
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
