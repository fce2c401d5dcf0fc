import { z } from 'zod';
import { MAX_READ_ITEMS, readFilesMethod, readRevisionSchema } from '../../../protocol/runner/files.js';
import { failure, success } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { fitRead } from '../fit-read.js';
import { RESULT_BYTES } from '../result-bytes.js';
import { runnerRoot } from '../runner-root.js';

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  items: z
    .array(
      z.strictObject({
        path: z.string().min(1).meta({ description: 'Project-relative path' }),
        start_line: z.int().min(1).default(1),
        limit: clamped(1, 2000, 2000),
        expected_read_revision: readRevisionSchema
          .optional()
          .meta({ description: 'Fails the item when the file is no longer that snapshot' }),
      }),
    )
    .min(1)
    .max(MAX_READ_ITEMS),
  with_line_numbers: z.boolean().default(false).meta({ description: 'Each line begins with its number and a tab' }),
  max_result_bytes: clamped(RESULT_BYTES.least, RESULT_BYTES.most, RESULT_BYTES.usual),
});

const item = z.looseObject({ index: z.int(), success: z.boolean(), path: z.string() });

/** `read_files`: ranges of up to eight files, each named by the snapshot that it was read from (spec 04 §7.5). */
export function readFiles(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_files',
      title: 'Read files',
      summary: 'Reads line ranges of up to 8 files, with a read_revision that guards a later edit.',
      description:
        'A range gives whole lines, at most 192 KiB of text. Items fail one by one. What does not fit into ' +
        'max_result_bytes is read by the suggested_call, from the same snapshots.',
      category: 'file',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      path_hint: 'path_list',
      direct_rank: 21,
      session_evidence: 'business_pair',
      telemetry: 'instruction_read',
      recorded_inputs: ['project', 'items', 'with_line_numbers', 'max_result_bytes'],
      input,
      output: z.looseObject({ items: z.array(item), truncated: z.boolean(), max_result_bytes: z.int() }),
    },
    async (args, call) => {
      const project = projectOf(call);
      const answered = await runner.call(
        readFilesMethod,
        {
          root: runnerRoot(project),
          project: project.id,
          items: args.items,
          max_text_bytes: args.max_result_bytes,
        },
        { signal: call.signal },
      );
      if ('failure' in answered) return { result: answered.failure };
      const { items } = answered.answer;
      const output = fitRead(items, args.items, {
        project: project.id,
        withLineNumbers: args.with_line_numbers,
        maxResultBytes: args.max_result_bytes,
      });
      if (output === null) {
        return {
          result: failure('output_budget_exceeded', 'The facts of the items alone pass max_result_bytes; read fewer files at once or raise it.'),
        };
      }
      const read = items.filter((one) => one.success);
      return {
        result: success(output),
        facts: {
          observedPaths: read.map(({ path }) => path),
          contextResultSummary: { items: items.length, items_read: read.length },
        },
      };
    },
  );
}
