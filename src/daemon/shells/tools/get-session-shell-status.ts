import { z } from 'zod';
import { shellStatusMethod } from '../../../protocol/runner/shells.js';
import { success } from '../../../protocol/tool-result.js';
import { answerDueMs, secondsUpTo } from '../../execution/index.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/index.js';
import { refuseWithoutShells, shellPlace } from '../bound-request.js';
import { commandFacts, commandFactsSchema } from '../command-result.js';
import { refusedEvidence, shellEvidence } from '../shell-evidence.js';
import { shellFacts, shellFactsSchema } from '../shell-facts.js';
import { boundTo, shellId, SHELL_TOOL } from '../shell-tool.js';

const MAX_WAIT_SECS = 100;

/** `get_session_shell_status` (spec 03 §10): a shell, and its last command with the end of what it printed. */
export function getSessionShellStatus(deps: { readonly runner: RunnerPort }): Tool {
  return defineTool(
    {
      ...SHELL_TOOL,
      ...OBSERVING_TOOL,
      name: 'get_session_shell_status',
      title: 'Look at a shell',
      summary: 'Shows the state of a shell and its last command; can wait for the end of a command that runs.',
      description: 'A shell whose folder, policy or profile is not any more what it was opened on is closed, and says so.',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session_evidence: 'none',
      recorded_inputs: ['project', 'wait_secs'],
      cli: { positionals: ['shell_id'] },
      input: z.strictObject({
        ...boundTo,
        shell_id: shellId,
        wait_secs: secondsUpTo(MAX_WAIT_SECS, 'Wait for the end of a running command').optional(),
      }),
      output: shellFactsSchema.extend({
        last_command: commandFactsSchema.nullable(),
        effective_wait_secs: z.number().optional(),
      }),
    },
    async ({ shell_id: id, wait_secs: asked = 0 }, call) => {
      const unable = refuseWithoutShells(deps.runner);
      const waitMs = Math.min(asked * 1_000, call.answerWithinMs === null ? Infinity : answerDueMs(call.answerWithinMs));
      const looked =
        unable === null
          ? await deps.runner.call(
              shellStatusMethod,
              { ...shellPlace(call), shell_id: id, wait_ms: waitMs },
              { signal: AbortSignal.any([call.signal, call.disconnected]) },
            )
          : { failure: unable };
      if ('failure' in looked) return { result: looked.failure, facts: { persistentShell: refusedEvidence('status', looked.failure, id) } };
      const { shell, last_command: last } = looked.answer;
      return {
        result: success({
          ...shellFacts(shell),
          last_command: last === null ? null : commandFacts(last),
          ...(waitMs < asked * 1_000 ? { effective_wait_secs: waitMs / 1_000 } : {}),
        }),
        facts: { persistentShell: shellEvidence('status', shell) },
      };
    },
  );
}
