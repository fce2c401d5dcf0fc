import { z } from 'zod';
import { defineTool, type Tool } from '../../kernel/tool.js';
import type { ExecutionDeps } from '../execute.js';
import { EXECUTING_TOOL } from '../executing-tool.js';
import { command, executionInputs, jobTimeoutSecs, placedCwd, shell, stdin } from '../inputs.js';
import { runProgram } from '../run-program.js';

/** `run_job` (spec 03 §4): shell text that runs beside the caller, under a job_id from the first moment. */
export function runJob(deps: ExecutionDeps): Tool {
  return defineTool(
    {
      ...EXECUTING_TOOL,
      name: 'run_job',
      title: 'Start a Job',
      summary: 'Starts shell text as a Job and answers with its job_id at once.',
      description:
        'For servers, watchers and long work. A Job waits for a slot when too many run. Watch it with observe_jobs or wait_for_job_readiness, read it with read_job_output, end it with stop_job.',
      recorded_inputs: ['project', 'cwd', 'shell', 'purpose', 'assertion_name', 'timeout_secs'],
      cli: { positionals: ['command'] },
      input: z.strictObject({ ...executionInputs, cwd: placedCwd, command, shell, stdin, timeout_secs: jobTimeoutSecs }),
    },
    (given, call) =>
      runProgram(deps, call, given, {
        source: 'run_job',
        mode: 'job',
        takesResource: true,
        commandText: given.command,
        program: ({ shell: dialect }) => ({ kind: 'shell', command: given.command, shell: dialect }),
      }),
  );
}
