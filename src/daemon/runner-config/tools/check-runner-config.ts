import { z } from 'zod';
import { success } from '../../../protocol/tool-result.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/index.js';
import type { RunnerConfiguration } from '../configuration.js';
import { generationInForce, unknownRunner } from '../generation.js';

/** `check_runner_config` (spec 04 §7.1): whether the file is valid, and whether it is what is in force. */
export function checkRunnerConfig({ configuration, runner }: { readonly configuration: RunnerConfiguration; readonly runner: RunnerPort }): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'check_runner_config',
      title: 'Check the configuration',
      summary: "Says whether the configuration file is valid, and whether the Runner goes by it; shows no value of it.",
      category: 'runtime',
      scopes: { kind: 'all', scopes: ['runner:manage'] },
      session: 'none',
      project: 'none',
      session_evidence: 'none',
      recorded_inputs: ['client_id'],
      cli: { positionals: ['client_id'] },
      input: z.strictObject({ client_id: z.string().max(64).meta({ description: 'The Runner: local' }) }),
      output: z.object({
        client_id: z.literal('local'),
        valid: z.boolean(),
        /** What is wrong, by the name of the key. */
        problem: z.string().nullable(),
        generation: z.int(),
        /** Whether the file differs from what is in force. */
        changed: z.boolean().nullable(),
        restart_needed: z.boolean().nullable(),
      }),
    },
    async ({ client_id: clientId }) => {
      const unknown = unknownRunner(clientId);
      if (unknown !== null) return { result: unknown };
      const generation = await generationInForce(runner);
      if (typeof generation === 'object') return { result: generation.failure };
      const looked = configuration.look();
      const base = { client_id: 'local', generation };
      if ('problem' in looked) return { result: success({ ...base, valid: false, problem: looked.problem, changed: null, restart_needed: null }) };
      const { changed, restartNeeded } = configuration.compare(looked.config);
      return { result: success({ ...base, valid: true, problem: null, changed, restart_needed: restartNeeded }) };
    },
  );
}
