import { z } from 'zod';
import { listedEntrySchema, listFilesMethod } from '../../../protocol/runner/files.js';
import { success, type Json } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { runnerRoot } from '../runner-root.js';

const MAX_OFFSET = 1_000_000;

/** `list_project_files`: the entries of one folder, a page at a time (spec 04 §7.5). */
export function listProjectFiles(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'list_project_files',
      title: 'List project files',
      summary: 'Lists one folder by name: types, sizes, and what is protected.',
      description: 'Bulk folders (.git, target, node_modules) are named in left_out and not listed.',
      category: 'file',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      path_hint: 'single_path',
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'path', 'limit', 'offset'],
      cli: { positionals: ['path'] },
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        path: z.string().default('').meta({ description: "Project-relative folder; the project's own when left out" }),
        limit: clamped(1, 500, 200),
        offset: clamped(0, MAX_OFFSET, 0),
      }),
      output: z.strictObject({
        path: z.string(),
        entries: z.array(listedEntrySchema),
        returned_count: z.int(),
        total_count: z.int(),
        next_offset: z.int().nullable(),
        left_out: z.array(z.string()),
      }),
    },
    async (args, call) => {
      const answered = await runner.call(
        listFilesMethod,
        { root: runnerRoot(projectOf(call)), path: args.path, offset: args.offset, limit: args.limit },
        { signal: call.signal },
      );
      if ('failure' in answered) return { result: answered.failure };
      const { path, entries, total_count, left_out } = answered.answer;
      const next = args.offset + args.limit;
      return {
        result: success({
          path,
          entries: entries as Json,
          returned_count: entries.length,
          total_count,
          next_offset: next < total_count ? next : null,
          left_out,
        }),
        facts: { contextResultSummary: { entries: entries.length, total: total_count } },
      };
    },
  );
}
