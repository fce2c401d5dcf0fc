import { z } from 'zod';
import { listTrackedMethod, trackedEntrySchema } from '../../../protocol/runner/find-files.js';
import { success, type Json } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { runnerRoot } from '../runner-root.js';

const MAX_OFFSET = 1_000_000;

/** `list_project_tracked_files`: what the Git index holds, folders standing for what would be too many (spec 04 §7.5). */
export function listProjectTrackedFiles(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'list_project_tracked_files',
      title: 'List tracked files',
      summary: 'Lists the files that Git tracks, by part of the path or by globs.',
      description:
        'Without depth, folders stand for files as far as it takes for all to fit into limit; depth 16 shows every file. ' +
        'left_out counts tracked files in bulk folders (target, node_modules).',
      category: 'file',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      path_hint: 'single_path',
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'path', 'depth', 'limit', 'offset'],
      cli: { positionals: ['query'] },
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        query: z.string().min(1).max(200).optional().meta({ description: 'Part of the path, whatever its case' }),
        path: z.string().default('').meta({ description: 'Project-relative folder; the whole project when left out' }),
        globs: z.array(z.string().min(1).max(256)).max(20).default([]).meta({ description: 'Only files that one of these matches' }),
        depth: z
          .int()
          .overwrite((value) => Math.min(16, Math.max(1, value)))
          .optional()
          .meta({ description: '1..16, larger and smaller values are cut' }),
        limit: clamped(1, 1000, 200),
        offset: clamped(0, MAX_OFFSET, 0),
      }),
      output: z.strictObject({
        entries: z.array(trackedEntrySchema),
        returned_count: z.int(),
        total_count: z.int(),
        total_files: z.int(),
        depth: z.int().nullable(),
        next_offset: z.int().nullable(),
        left_out: z.int(),
      }),
    },
    async ({ query, path, globs, depth, limit, offset }, call) => {
      const answered = await runner.call(
        listTrackedMethod,
        { root: runnerRoot(projectOf(call)), path, query: query ?? null, globs, depth: depth ?? null, limit, offset },
        { signal: call.signal },
      );
      if ('failure' in answered) return { result: answered.failure };
      const { entries, ...facts } = answered.answer;
      const next = offset + entries.length;
      return {
        result: success({
          entries: entries as Json,
          returned_count: entries.length,
          ...facts,
          next_offset: entries.length > 0 && next < facts.total_count ? next : null,
        }),
        facts: { contextResultSummary: { entries: entries.length, total: facts.total_count } },
      };
    },
  );
}
