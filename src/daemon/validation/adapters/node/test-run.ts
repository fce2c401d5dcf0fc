import type { Failure } from '../../../../protocol/tool-result.js';
import type { ParserId, ValidationRequest, ValidatorRun } from '../../adapter.js';
import { canonicalName } from '../../canonical-target.js';
import { notOffered } from '../../refusals.js';
import { localProgram } from './local-program.js';
import type { NodePackage } from './node-package.js';
import { testArgv } from './test-argv.js';
import { chooseTestRunner, TEST_RUNNERS, type TestCommand, type TestRunner } from './test-runner.js';

const PARSERS: Readonly<Record<TestRunner, ParserId>> = { node: 'node_test/1', vitest: 'vitest/1', jest: 'jest/1' };

/** The run of a package's tests, or why there is none. */
export async function planTest(request: ValidationRequest, { folder, manifest, probe }: NodePackage): Promise<ValidatorRun | { readonly failure: Failure }> {
  const choice = chooseTestRunner(manifest);
  if (!('command' in choice)) return { failure: choice.candidates.length === 0 ? noRunner() : severalRunners(choice.candidates) };
  const { command } = choice;
  const program = await programOf(command, folder, probe);
  if (program === null) return { failure: notInstalled(command.runner) };
  const filter = canonicalName(request.filter);
  return {
    tool: 'project_validate',
    adapter: 'node',
    kind: 'test',
    ...testArgv(command, program, filter),
    cwd: folder === '.' ? null : folder,
    purpose: 'test',
    timeoutSecs: request.timeoutSecs,
    target: { adapter: 'node', action: 'test', tool: command.runner, cwd: folder, filter },
    scope: { package: folder, filter, features: [], targets: [command.runner] },
    parser: PARSERS[command.runner],
    minimumTests: request.minimumTests,
  };
}

/** Node itself is found on the PATH; where the script names the runner's file, Node runs that. */
async function programOf({ runner, program }: TestCommand, folder: string, probe: NodePackage['probe']): Promise<string | null> {
  return runner === 'node' || program !== null ? 'node' : localProgram(probe, folder, runner);
}

function noRunner(): Failure {
  return notOffered(
    'capability_unavailable',
    'This package has no test runner that wc reads results of: let its "test" script be one plain command of node --test, vitest or jest, or run its tests with run_process and purpose "test".',
    { reason_code: 'no_known_test_runner', candidates: [...TEST_RUNNERS] },
  );
}

function severalRunners(candidates: readonly TestRunner[]): Failure {
  return notOffered(
    'capability_unavailable',
    `This package depends on ${candidates.join(' and ')}; let its "test" script be one plain command of the one that is meant.`,
    { reason_code: 'ambiguous_test_runner', candidates: [...candidates] },
  );
}

function notInstalled(runner: TestRunner): Failure {
  return notOffered(
    'capability_unavailable',
    `node_modules/.bin/${runner} is not in this project (a link that leads out of it is not followed); install the package's dependencies first.`,
    { reason_code: 'tool_not_installed', tool: runner },
  );
}
