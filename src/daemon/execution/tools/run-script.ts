import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineTool, type Tool } from '../../kernel/tool.js';
import type { ExecutionDeps } from '../execute.js';
import { EXECUTING_TOOL } from '../executing-tool.js';
import { args, argvFits, ARGV_PROBLEM, executionInputs, foregroundInputs, language, script, stdin } from '../inputs.js';
import { runProgram } from '../run-program.js';
import { shellCommandLine } from '../shell-words.js';

const input = z.strictObject({ ...executionInputs, language, script, args, stdin, ...foregroundInputs }).superRefine((given, context) => {
  if (!argvFits('', given.args)) context.addIssue({ code: 'custom', path: ['args'], message: ARGV_PROBLEM });
});

/** `run_script` (spec 03 §4): a program that comes with the call, run from a private file that is gone afterwards. */
export function runScript(deps: ExecutionDeps): Tool {
  return defineTool(
    {
      ...EXECUTING_TOOL,
      name: 'run_script',
      title: 'Run a script',
      summary: 'Runs a script from a temporary file; goes on as a Job when it takes longer.',
      description:
        'For programs that are too long or too quoted for run_shell. javascript is an ES module; typescript needs Node 22.6 or later. Imports are looked up beside the temporary file, so reach into the project by its working folder.',
      direct_rank: 71,
      recorded_inputs: ['project', 'cwd', 'language', 'purpose', 'assertion_name', 'timeout_secs', 'sync_wait_secs', 'result_expectation'],
      cli: { program: { args: 'args' } },
      input,
    },
    (given, call) =>
      runProgram(deps, call, given, {
        source: 'run_script',
        mode: 'foreground',
        takesResource: false,
        commandText: scriptText(given),
        shownAs: `${given.language} <temporary-script>`,
        program: () => ({ kind: 'script', language: given.language, script: given.script, args: given.args }),
      }),
  );
}

/** What tells one script from another: its language, its text to the last space, its arguments. */
function scriptText({ language: name, script: text, args: argv }: z.output<typeof input>): string {
  return [name, createHash('sha256').update(text).digest('hex'), shellCommandLine(argv)].join(' ');
}
