import { z } from 'zod';
import { overviewEntrySchema, overviewMethod } from '../../../protocol/runner/find-files.js';
import { success, type Json } from '../../../protocol/tool-result.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { runnerRoot } from '../runner-root.js';

/** `read_project_overview`: the top levels of a project, names and sizes only (spec 04 §7.5). */
export function readProjectOverview(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_project_overview',
      title: 'Read a project overview',
      summary: 'Shows the top levels of a project: names, types and sizes, never content.',
      description: 'Ignored and protected folders are named and not entered. Upper levels come first when limit cuts.',
      category: 'file',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      path_hint: 'single_path',
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'path', 'max_depth', 'limit'],
      cli: { positionals: ['path'] },
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        path: z.string().default('').meta({ description: "Project-relative folder; the project's own when left out" }),
        max_depth: clamped(1, 4, 2),
        limit: clamped(20, 500, 200),
      }),
      output: z.strictObject({
        path: z.string(),
        entries: z.array(overviewEntrySchema),
        returned_count: z.int(),
        truncated: z.boolean(),
        unreadable: z.array(z.string()),
      }),
    },
    async ({ path, max_depth, limit }, call) => {
      const answered = await runner.call(
        overviewMethod,
        { root: runnerRoot(projectOf(call)), path, max_depth, limit },
        { signal: call.signal },
      );
      if ('failure' in answered) return { result: answered.failure };
      const { entries, ...facts } = answered.answer;
      return {
        result: success({ ...facts, entries: entries as Json, returned_count: entries.length }),
        facts: { contextResultSummary: { entries: entries.length } },
      };
    },
  );
}
