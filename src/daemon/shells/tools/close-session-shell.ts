import { z } from 'zod';
import { closeShellMethod } from '../../../protocol/runner/shells.js';
import { success } from '../../../protocol/tool-result.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/index.js';
import { refuseWithoutShells, shellPlace } from '../bound-request.js';
import { refusedEvidence, shellEvidence } from '../shell-evidence.js';
import { shellFacts, shellFactsSchema } from '../shell-facts.js';
import { boundTo, shellId, SHELL_TOOL } from '../shell-tool.js';

/** `close_session_shell` (spec 03 §10): cleans up, so that read-only and closed Sessions may use it under any policy. */
export function closeSessionShell(deps: { readonly runner: RunnerPort }): Tool {
  return defineTool(
    {
      ...SHELL_TOOL,
      name: 'close_session_shell',
      title: 'Close a shell',
      summary: 'Ends a shell and everything that runs in it; closing one that is over is a success.',
      effect: 'execute',
      risk: 'run_control',
      approval: 'none',
      idempotency: 'desired_state',
      destructive: true,
      shell_like: false,
      session_evidence: 'business_pair',
      allowed_on_closed: true,
      recorded_inputs: ['project'],
      cli: { positionals: ['shell_id'] },
      input: z.strictObject({ ...boundTo, shell_id: shellId }),
      output: shellFactsSchema.extend({ already_closed: z.boolean() }),
    },
    async ({ shell_id: id }, call) => {
      const { root: _root, ...binding } = shellPlace(call);
      const unable = refuseWithoutShells(deps.runner);
      const closed = unable === null ? await deps.runner.call(closeShellMethod, { ...binding, shell_id: id }) : { failure: unable };
      if ('failure' in closed) {
        const unknown = closed.failure.output['error_kind'] === 'outcome_unknown';
        return {
          result: closed.failure,
          facts: { persistentShell: refusedEvidence('close', closed.failure, id), effect: { stateChanged: unknown ? null : false } },
        };
      }
      const { shell, already_closed: already } = closed.answer;
      return {
        result: success({ ...shellFacts(shell), already_closed: already }),
        facts: { persistentShell: { ...shellEvidence('close', shell), alreadyClosed: already }, effect: { stateChanged: !already } },
      };
    },
  );
}
