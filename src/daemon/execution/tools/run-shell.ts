import { z } from 'zod';
import { defineTool, type Tool } from '../../kernel/tool.js';
import type { ExecutionDeps } from '../execute.js';
import { EXECUTING_TOOL } from '../executing-tool.js';
import { command, executionInputs, foregroundInputs, placedCwd, shell, stdin } from '../inputs.js';
import { runProgram } from '../run-program.js';

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
      input: z.strictObject({ ...executionInputs, cwd: placedCwd, command, shell, stdin, ...foregroundInputs }),
    },
    (given, call) =>
      runProgram(deps, call, given, {
        source: 'run_shell',
        mode: 'foreground',
        takesResource: true,
        commandText: given.command,
        program: ({ shell: dialect }) => ({ kind: 'shell', command: given.command, shell: dialect }),
      }),
  );
}
