import { z } from 'zod';
import type { EvidenceFacts } from '../../../src/daemon/kernel/evidence-facts.js';
import { defineTool, projectSelector, sessionSelector, type HandlerOutcome, type Tool } from '../../../src/daemon/kernel/tool.js';
import type { ToolFacts } from '../../../src/protocol/tool-definition.js';
import { failure, success } from '../../../src/protocol/tool-result.js';

/** What the next call of a scripted tool will have done. */
export interface Script {
  next: HandlerOutcome;
}

const BASE: Omit<ToolFacts, 'name' | 'effect' | 'risk' | 'scopes' | 'shell_like' | 'idempotency'> = {
  title: 'A scripted tool',
  summary: 'A scripted tool.',
  category: 'execution',
  visibility: 'model_visible',
  approval: 'none',
  session: 'records',
  project: 'required',
  path_hint: 'none',
  destructive: false,
  captures_validation_output: false,
  git_like: false,
  change_summary_like: false,
  session_evidence: 'business_pair',
  recorded_inputs: ['purpose'],
};

/** Stand-ins for the tools that leave evidence, whose outcome the test decides. */
export function scriptedTools(): { readonly script: Script; readonly tools: readonly Tool[] } {
  const script: Script = { next: { result: success({}) } };
  const tool = (name: string, facts: Pick<ToolFacts, 'effect' | 'risk' | 'scopes' | 'shell_like' | 'idempotency'>): Tool =>
    defineTool(
      {
        ...BASE,
        ...facts,
        name,
        input: z.strictObject({
          project: projectSelector,
          session_id: sessionSelector.optional(),
          purpose: z.string().optional(),
        }),
        output: z.looseObject({}),
      },
      () => script.next,
    );
  return {
    script,
    tools: [
      tool('run_process', {
        effect: 'execute',
        risk: 'job_run',
        scopes: { kind: 'all', scopes: ['job:run'] },
        shell_like: true,
        idempotency: 'non_idempotent',
      }),
      tool('edit_project_files', {
        effect: 'mutate',
        risk: 'project_write',
        scopes: { kind: 'all', scopes: ['project:write'] },
        shell_like: false,
        idempotency: 'non_idempotent',
      }),
      ...['read_files', 'list_project_files'].map((name) =>
        tool(name, {
          effect: 'observe',
          risk: 'read_only',
          scopes: { kind: 'all', scopes: ['project:read'] },
          shell_like: false,
          idempotency: 'pure_read',
        }),
      ),
    ],
  };
}

/** A command that ended by itself. */
export function ended(exitCode: number, facts: EvidenceFacts = {}): HandlerOutcome {
  const common: EvidenceFacts = {
    exitCode,
    effect: { stateChanged: null, commandStarted: true, commandCompleted: true, executionState: 'completed' },
    ...facts,
  };
  if (exitCode === 0) return { result: success({ exit_code: 0 }), facts: common };
  return {
    result: failure('command_exit_nonzero', 'the command failed', { exit_code: exitCode }),
    facts: { failureKind: 'command_exit_nonzero', failureExpectationResult: 'unexpected_failure', ...common },
  };
}

/** An edit that was made. */
export function edited(...paths: readonly string[]): HandlerOutcome {
  return { result: success({}), facts: { changedPaths: paths, effect: { stateChanged: true } } };
}
