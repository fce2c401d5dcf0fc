import { z } from 'zod';
import { closeShellMethod, openShellMethod, type ShellView } from '../../../protocol/runner/shells.js';
import { failure, success, type Failure } from '../../../protocol/tool-result.js';
import { executionPlace, placedCwd, refuseWithoutSsh, shell } from '../../execution/index.js';
import { sessionOf, type CallContext } from '../../kernel/call-context.js';
import type { SessionPort } from '../../kernel/ports.js';
import { defineTool, type HandlerOutcome, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/index.js';
import { refuseWithoutShells, shellPlace } from '../bound-request.js';
import { refusedEvidence, shellEvidence } from '../shell-evidence.js';
import { shellFacts, shellFactsSchema } from '../shell-facts.js';
import { boundTo, SHELL_TOOL } from '../shell-tool.js';

interface OpenDeps {
  readonly runner: RunnerPort;
  readonly sessions: Pick<SessionPort, 'lookUp'>;
}

/** `open_session_shell` (spec 03 §10): the one live shell of a Session. */
export function openSessionShell(deps: OpenDeps): Tool {
  return defineTool(
    {
      ...SHELL_TOOL,
      name: 'open_session_shell',
      title: 'Open a shell',
      summary: 'Starts the one live shell of a Session, which keeps folder, variables and functions between commands.',
      description:
        'It starts where cwd, else the Session, says, and stays itself when those defaults change later. There is no terminal, and commands read no input. A shell without a command for a while is closed; see shell_state.',
      effect: 'execute',
      risk: 'job_run',
      approval: 'standard',
      idempotency: 'non_idempotent',
      destructive: false,
      shell_like: true,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'cwd', 'shell'],
      input: z.strictObject({ ...boundTo, cwd: placedCwd, shell }),
      output: shellFactsSchema.extend({ outcome: z.literal('opened') }),
    },
    async (given, call) => {
      const place = executionPlace(call.session, given, true);
      if ('failure' in place) return refused(place.failure);
      const { resource } = place;
      const unable = refuseWithoutShells(deps.runner) ?? (resource === null ? null : refuseWithoutSsh(deps.runner, resource, 'ssh_persistent_shell'));
      if (unable !== null) return refused(unable);
      const opened = await deps.runner.call(openShellMethod, {
        ...shellPlace(call),
        ...(resource === null ? { cwd: place.cwd, environment: call.environment } : { cwd: null, environment: null, remote: { resource, cwd: place.cwd } }),
        shell: place.shell,
      });
      // The Session may have been closed while its shell came up.
      if (!isStillActive(deps, call)) {
        if ('answer' in opened) await release(deps, call, opened.answer.shell);
        return refused(inactive());
      }
      if ('failure' in opened) return refused(opened.failure);
      const view = opened.answer.shell;
      return {
        result: success({ outcome: 'opened', ...shellFacts(view) }),
        facts: { persistentShell: shellEvidence('open', view), effect: { stateChanged: null, commandStarted: true } },
      };
    },
  );
}

function refused(refusal: Failure): HandlerOutcome {
  const kind = refusal.output['failure_kind'];
  return {
    result: refusal,
    facts: {
      persistentShell: refusedEvidence('open', refusal),
      effect: { stateChanged: refusal.output['state_changed'] === false ? false : null },
      ...(typeof kind === 'string' ? { failureKind: kind } : {}),
    },
  };
}

function isStillActive({ sessions }: OpenDeps, call: CallContext): boolean {
  const found = sessions.lookUp(sessionOf(call).sessionId, call.principal);
  return found.found === 'session' && found.session.lifecycle === 'active';
}

async function release({ runner }: OpenDeps, call: CallContext, { shell_id }: ShellView): Promise<void> {
  const { root: _root, ...binding } = shellPlace(call);
  await runner.call(closeShellMethod, { ...binding, shell_id });
}

function inactive(): Failure {
  return failure('persistent_shell_session_inactive', 'The Session was closed while its shell was opened; the shell was ended.', {
    failure_kind: 'runtime_error',
    execution_state: 'not_started',
    command_started: false,
    state_changed: false,
  });
}
