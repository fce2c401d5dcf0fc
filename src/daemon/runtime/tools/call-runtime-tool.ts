import { z } from 'zod';
import { defineTool, type Tool } from '../../kernel/tool.js';

/**
 * `call_runtime_tool`: the gateway to every model-visible tool that is not in the direct
 * list. The kernel unwraps it before anything is decided, so its handler never runs.
 */
export function callRuntimeTool(): Tool {
  return defineTool(
    {
      name: 'call_runtime_tool',
      title: 'Call a tool by name',
      summary: 'Runs a tool that is not listed here, by its exact name; read_tool_manifest shows its contract.',
      category: 'runtime',
      visibility: 'model_visible',
      effect: 'execute',
      risk: 'job_run',
      approval: 'none',
      idempotency: 'non_idempotent',
      scopes: { kind: 'all', scopes: [] },
      session: 'none',
      project: 'none',
      path_hint: 'none',
      destructive: true,
      shell_like: true,
      direct_rank: 90,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'none',
      gateway: true,
      recorded_inputs: ['tool'],
      cli: { positionals: ['tool'] },
      input: z.strictObject({
        tool: z.string().min(1).max(128).meta({ description: 'The exact name of the tool' }),
        arguments: z.record(z.string(), z.unknown()).meta({ description: 'Its arguments, by its own contract' }),
      }),
      output: z.looseObject({}),
    },
    () => {
      throw new Error('the kernel unwraps gateways before any handler runs');
    },
  );
}
