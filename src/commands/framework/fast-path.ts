import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, EXIT } from '../../client/index.js';
import type { ToolCallBody } from '../../protocol/api.js';
import { HEADERS } from '../../protocol/api.js';
import { callerEnvironment } from './caller-environment.js';
import { executionExitCode } from './execution-exit.js';
import { fillSelectors, variablesOf, windowName } from './fill-selectors.js';
import { readInput } from './read-input.js';
import { cancelOnInterrupt } from './cancel-on-interrupt.js';
import { endOnLostOutput } from './lost-output.js';
import { reportError } from './report-error.js';
import type { IndexedTool, ToolIndex } from './tool-index.js';

/** A command line of a script: everything stands in it, nothing is to be explained. */
export interface FastCall {
  readonly tool: IndexedTool;
  readonly input: string | undefined;
  readonly session: string | undefined;
  readonly project: string | undefined;
  readonly record: string | undefined;
  readonly withEnvironment: boolean;
}

const VALUE_FLAGS = ['input', 'session', 'project', 'record'] as const;
type ValueFlag = (typeof VALUE_FLAGS)[number];

/**
 * Whether `argv` is `<tool> --json`, with `--input` and selectors at most; null sends it
 * to the command framework, which knows every other form and every mistake.
 */
export function matchFastCall(argv: readonly string[], index: ToolIndex): FastCall | null {
  const [command, ...rest] = argv;
  if (command === undefined || !Object.hasOwn(index, command)) return null;
  const tool = index[command];
  const values: Partial<Record<ValueFlag, string>> = {};
  let json = false;
  let withEnvironment = true;
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    if (word === '--json') json = true;
    else if (word === '--no-env') withEnvironment = false;
    else {
      const flag = VALUE_FLAGS.find((name) => word === `--${name}` || word.startsWith(`--${name}=`));
      if (flag === undefined || values[flag] !== undefined) return null;
      const value = word === `--${flag}` ? rest[(at += 1)] : word.slice(flag.length + 3);
      if (value === undefined) return null;
      values[flag] = value;
    }
  }
  if (!json || tool === undefined) return null;
  const { input, session, project, record } = values;
  // A selector that the tool does not take is a mistake, and a program's own needs are the framework's.
  if ((session !== undefined && tool.session === 'none') || (project !== undefined && tool.project === 'none')) return null;
  if (tool.runs && input === undefined) return null;
  return { tool, input, session, project, record, withEnvironment };
}

/** The index that the build wrote beside the entry point in `folder`. */
export function readToolIndex(folder: string): ToolIndex {
  return JSON.parse(readFileSync(join(folder, 'tool-index.json'), 'utf8')) as ToolIndex;
}

/** Makes the call, prints the ToolResult as one line, and returns the exit code. */
export async function runFastCall(call: FastCall, env: NodeJS.ProcessEnv): Promise<number> {
  endOnLostOutput({ endsWithProgram: call.tool.ends });
  try {
    const variables = variablesOf(env);
    const record = call.record ?? variables.record;
    const body: ToolCallBody = {
      arguments: fillSelectors(call.tool, call.input === undefined ? {} : readInput(call.input), call, variables),
      ...(record === undefined ? {} : { _wc: { record } }),
      ...(call.tool.runs && call.withEnvironment ? callerEnvironment(env) : {}),
    };
    const notice = (line: string): void => void process.stderr.write(`wc: ${line}\n`);
    const client = await connect({ adapter: 'cli', env, onNotice: notice, eager: false });
    const result = await client.callTool(call.tool.name, body, {
      repeatable: call.tool.observes,
      ...(variables.window === undefined ? {} : { headers: { [HEADERS.window]: windowName(variables.window) } }),
      // A read that nobody waits for ends by itself; anything else is cancelled by its name.
      ...(call.tool.observes ? {} : { signal: cancelOnInterrupt() }),
    });
    process.stdout.write(`${JSON.stringify(result)}\n`);
    if (call.tool.ends) return executionExitCode(result);
    return result.success ? EXIT.success : EXIT.refused;
  } catch (error) {
    return reportError(error, call.tool.ends);
  }
}
