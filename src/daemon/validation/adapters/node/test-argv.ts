import { fileURLToPath } from 'node:url';
import { shellCommandLine } from '../../../execution/index.js';
import { withReportChannel, type Argv } from '../../report-channel.js';
import type { Word } from './plain-command.js';
import type { TestCommand, TestRunner } from './test-runner.js';

/** Reporters run in the user's test runner; they lie beside the built program and beside its sources alike. */
const REPORTERS = new URL('../../../../../reporters/', import.meta.url);

/** Options of a script that would take the report's place, or never let the run end. With `valued` the next word may be theirs. */
const LEFT_OUT: Readonly<Record<TestRunner, { readonly plain: ReadonlySet<string>; readonly valued: ReadonlySet<string> }>> = {
  node: {
    plain: new Set(['--watch', '--experimental-test-coverage']),
    valued: new Set(['--test-reporter', '--test-reporter-destination']),
  },
  vitest: {
    plain: new Set(['run', 'watch', 'dev', '--run', '--watch', '-w', '--ui', '--coverage', '--coverage.enabled', '--silent']),
    valued: new Set(['--reporter', '--outputFile']),
  },
  jest: {
    plain: new Set(['--watch', '--watchAll', '--coverage', '--collectCoverage', '--json', '--silent', '--onlyChanged', '-o']),
    valued: new Set(['--reporters', '--outputFile', '--testResultsProcessor']),
  },
};

/**
 * The argv of a test run with its report: what people read goes where the run's output
 * goes, the report to its own channel. Coverage is left out, since its thresholds would
 * make a run fail whose tests pass; whether a run without a test is a success is the
 * caller's decision, and the report says that it was one.
 *
 * @param program the runner's program, relative to the package; Node itself for `node --test`
 * @param filter text that a test's name must hold, or null
 */
export function testArgv({ runner, environment, nodeOptions, program: file, args }: TestCommand, program: string, filter: string | null): Argv {
  const named = filter === null ? null : literalPattern(filter);
  const argv = [
    ...(environment.length === 0 ? [] : ['env', ...environment]),
    ...(file === null ? [program] : ['node', ...nodeOptions, file]),
    ...ownArgs(runner, named),
  ];
  return withReportChannel(withWords(argv, withoutLeftOut(runner, args)));
}

function ownArgs(runner: TestRunner, filter: string | null): readonly string[] {
  switch (runner) {
    case 'node':
      return [
        '--test',
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
        // A specifier: a path would be taken as a URL and lose its special characters.
        `--test-reporter=${new URL('node-test.mjs', REPORTERS).href}`,
        '--test-reporter-destination=stderr',
        ...(filter === null ? [] : [`--test-name-pattern=${filter}`]),
      ];
    case 'vitest':
      return [
        'run',
        '--reporter=default',
        `--reporter=${fileURLToPath(new URL('vitest.mjs', REPORTERS))}`,
        '--coverage.enabled=false',
        '--passWithNoTests',
        ...(filter === null ? [] : [`--testNamePattern=${filter}`]),
      ];
    case 'jest':
      return [
        '--reporters=default',
        `--reporters=${fileURLToPath(new URL('jest.mjs', REPORTERS))}`,
        '--coverage=false',
        '--passWithNoTests',
        ...(filter === null ? [] : [`--testNamePattern=${filter}`]),
      ];
  }
}

/** The script's own words behind an argv. Patterns are given to a shell as they stand: they hold no other syntax. */
function withWords(argv: readonly string[], words: readonly Word[]): Argv {
  const [executable = '', ...args] = argv;
  if (!words.some(({ isPattern }) => isPattern)) return { executable, args: [...args, ...words.map(({ text }) => text)] };
  const line = words.map(({ text, isPattern }) => (isPattern ? text : shellCommandLine([text]))).join(' ');
  return { executable: 'sh', args: ['-c', `exec "$@" ${line}`, 'sh', ...argv] };
}

function withoutLeftOut(runner: TestRunner, args: readonly Word[]): readonly Word[] {
  const { plain, valued } = LEFT_OUT[runner];
  const kept: Word[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const [name = ''] = word.text.split('=', 1);
    if (valued.has(name)) at += word.text.includes('=') ? 0 : 1;
    else if (!plain.has(name)) kept.push(word);
  }
  return kept;
}

/** A pattern that matches a text and nothing else. */
function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
