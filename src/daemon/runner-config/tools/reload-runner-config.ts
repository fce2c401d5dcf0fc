import { z } from 'zod';
import { failure, success } from '../../../protocol/tool-result.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/index.js';
import type { RunnerConfiguration } from '../configuration.js';
import { generationInForce, unknownRunner } from '../generation.js';

/** `reload_runner_config` (spec 04 §7.1): puts the file in force; what runs keeps what it was started with. */
export function reloadRunnerConfig({ configuration, runner }: { readonly configuration: RunnerConfiguration; readonly runner: RunnerPort }): Tool {
  return defineTool(
    {
      name: 'reload_runner_config',
      title: 'Reload the configuration',
      summary: 'Puts the configuration file in force for policy, environment, shells and SSH resources.',
      description: 'A file that is not valid changes nothing. Other keys wait for a restart of the daemon; restart_needed says so.',
      category: 'runtime',
      visibility: 'model_visible',
      effect: 'mutate',
      risk: 'run_control',
      approval: 'standard',
      idempotency: 'desired_state',
      scopes: { kind: 'all', scopes: ['runner:manage'] },
      session: 'none',
      project: 'none',
      path_hint: 'none',
      destructive: false,
      shell_like: false,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'none',
      recorded_inputs: ['client_id', 'expected_generation'],
      cli: { positionals: ['client_id'] },
      input: z.strictObject({
        client_id: z.string().max(64).meta({ description: 'The Runner: local' }),
        expected_generation: z.int().min(0).meta({ description: 'The generation that check_runner_config showed' }),
      }),
      output: z.object({
        client_id: z.literal('local'),
        generation: z.int(),
        state_changed: z.boolean(),
        restart_needed: z.boolean(),
      }),
    },
    async ({ client_id: clientId, expected_generation: expected }) => {
      const unknown = unknownRunner(clientId);
      if (unknown !== null) return { result: unknown };
      const before = await generationInForce(runner);
      if (typeof before === 'object') return { result: before.failure };
      if (before !== expected) {
        return { result: failure('revision_conflict', `Generation ${before} is in force, not ${expected}; look with check_runner_config and decide anew.`, { generation: before, state_changed: false }) };
      }
      const reloaded = await configuration.reload();
      if ('failure' in reloaded) return { result: reloaded.failure };
      const { generation, restartNeeded } = reloaded;
      return { result: success({ client_id: 'local', generation, state_changed: generation !== before, restart_needed: restartNeeded }) };
    },
  );
}
