import type { PackageManifest } from './package-manifest.js';
import { plainCommand, type PlainCommand, type Word } from './plain-command.js';

export const TEST_RUNNERS = ['node', 'vitest', 'jest'] as const;
export type TestRunner = (typeof TEST_RUNNERS)[number];

/** How a project runs its tests. */
export interface TestCommand {
  readonly runner: TestRunner;
  /** `NAME=value` that the script sets. */
  readonly environment: readonly string[];
  /** Options of Node itself. */
  readonly nodeOptions: readonly string[];
  /** The runner's program file where the script names it, relative to the package; null looks it up. */
  readonly program: string | null;
  readonly args: readonly Word[];
}

export type TestRunnerChoice =
  | { readonly command: TestCommand }
  /** Several runners are declared and the script does not say which one is meant. */
  | { readonly candidates: readonly TestRunner[] }
  /** None that wc knows. */
  | { readonly candidates: readonly [] };

/** `node_modules/jest/bin/jest.js` and the like, as a word after `node`. */
const RUNNER_FILE = /^(?:\.\/)?node_modules\/(?:\.bin\/)?(vitest|jest)(?:\/[\w./-]+)?$/;
/** Options of Node that take the next word as their value. */
const NODE_VALUED: ReadonlySet<string> = new Set(['--import', '--require', '-r', '--loader', '--experimental-loader', '--env-file', '--conditions', '-C']);

/**
 * The test runner of a package: the one that its `test` script starts, where that is one
 * plain command; else the one that it depends on.
 */
export function chooseTestRunner(manifest: PackageManifest): TestRunnerChoice {
  const script = manifest.testScript === null ? null : plainCommand(manifest.testScript);
  const command = script === null ? null : ofScript(script);
  if (command !== null) return { command };
  const candidates = TEST_RUNNERS.filter((runner) => manifest.declared.has(runner));
  const [only] = candidates;
  if (only === undefined) return { candidates: [] };
  return candidates.length > 1 ? { candidates } : { command: { runner: only, environment: [], nodeOptions: [], program: null, args: [] } };
}

function ofScript(script: PlainCommand): TestCommand | null {
  const { environment, program, args } = script;
  const named = /^(?:(?:\.\/)?node_modules\/\.bin\/)?(vitest|jest)$/.exec(program)?.[1];
  if (named !== undefined) return { runner: named as TestRunner, environment, nodeOptions: [], program: null, args };
  return program === 'node' ? ofNode(environment, args) : null;
}

/** `node [OPTION]… --test …`, or Node with a runner's own file. */
function ofNode(environment: readonly string[], args: readonly Word[]): TestCommand | null {
  const first = firstOperand(args);
  const isTest = args.slice(0, first).some(({ text }) => text === '--test');
  if (isTest) {
    return { runner: 'node', environment, nodeOptions: [], program: null, args: args.filter(({ text }) => text !== '--test') };
  }
  const file = args[first]?.text ?? '';
  const runner = RUNNER_FILE.exec(file)?.[1];
  if (runner === undefined || args.slice(0, first).some(({ isPattern }) => isPattern)) return null;
  const nodeOptions = args.slice(0, first).map(({ text }) => text);
  return { runner: runner as TestRunner, environment, nodeOptions, program: file, args: args.slice(first + 1) };
}

function firstOperand(args: readonly Word[]): number {
  let at = 0;
  while (args[at]?.text.startsWith('-') === true) at += NODE_VALUED.has(args[at]?.text ?? '') ? 2 : 1;
  return Math.min(at, args.length);
}
