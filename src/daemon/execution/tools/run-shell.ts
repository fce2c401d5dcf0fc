import { z } from 'zod';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { execute, notStarted, type ExecutionDeps } from '../execute.js';
import { EXECUTING_TOOL } from '../executing-tool.js';
import { executionPlace } from '../execution-place.js';
import { command, executionInputs, foregroundInputs, shell, stdin } from '../inputs.js';

const source = 'run_shell';

/** `run_shell` (spec 03 §4): shell text in a process of its own; nothing of it stays for the next call. */
export function runShell(deps: ExecutionDeps): Tool {
  return defineTool(
    {
      ...EXECUTING_TOOL,
      name: 'run_shell',
      title: 'Run shell text',
      summary: 'Runs shell text in a process of its own; goes on as a Job when it takes longer.',
      description:
        'The shell is bash where there is one, else sh, unless shell or the Session says. A result that is not ready within sync_wait_secs (10 s) becomes a Job that is the same process.',
      direct_rank: 72,
      recorded_inputs: [
        'project',
        'cwd',
        'shell',
        'purpose',
        'assertion_name',
        'timeout_secs',
        'sync_wait_secs',
        'result_expectation',
      ],
      cli: { positionals: ['command'] },
      input: z.strictObject({ ...executionInputs, command, shell, stdin, ...foregroundInputs }),
    },
    (given, call) => {
      const place = executionPlace(call.session, given, true);
      if ('failure' in place) return notStarted({ source }, place.failure);
      return execute(deps, call, {
        source,
        program: { kind: 'shell', command: given.command, shell: place.shell },
        commandText: given.command,
        stdin: given.stdin ?? null,
        cwd: place.cwd,
        purpose: given.purpose,
        timeoutSecs: given.timeout_secs,
        mode: 'foreground',
        syncWaitSecs: given.sync_wait_secs,
        declaration: { expectation: given.result_expectation },
        assertionName: given.assertion_name,
      });
    },
  );
}
