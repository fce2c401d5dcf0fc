import { describe, expect, it } from 'vitest';
import type { ValidationRequest, ValidatorRun } from '../../../../src/daemon/validation/adapter.js';
import { nodeAdapter } from '../../../../src/daemon/validation/adapters/node/index.js';
import { plainCommand } from '../../../../src/daemon/validation/adapters/node/plain-command.js';
import { probeOf, requestFor } from '../probe-of.js';

type Files = Readonly<Record<string, string | null>>;

const INSTALLED = { 'node_modules/.bin/vitest': '', 'node_modules/.bin/jest': '' };
const withTest = (test: string, rest: object = {}): Files => ({ 'package.json': JSON.stringify({ scripts: { test }, ...rest }), ...INSTALLED });

async function planned(files: Files, changes: Partial<ValidationRequest> = {}, action: ValidationRequest['action'] = 'test'): Promise<ValidatorRun> {
  const run = await nodeAdapter.plan(requestFor(action, changes), probeOf(files));
  if ('failure' in run) throw new Error(run.failure.error);
  return run;
}

async function refused(files: Files, changes: Partial<ValidationRequest> = {}, action: ValidationRequest['action'] = 'test'): Promise<object> {
  const run = await nodeAdapter.plan(requestFor(action, changes), probeOf(files));
  if (!('failure' in run)) throw new Error('it was planned');
  return run.failure.output;
}

/** The argv behind the report channel, our own reporters shown by their names. */
function program({ executable, args }: ValidatorRun): string[] {
  expect([executable, ...args.slice(0, 3)]).toEqual(['sh', '-c', 'exec 3>&1 1>&2; exec "$@"', 'sh']);
  return args.slice(3).map((arg) => arg.replace(/=.*\/reporters\//, '=REPORTERS/'));
}

const NODE = ['--test', '--test-reporter=spec', '--test-reporter-destination=stdout', '--test-reporter=REPORTERS/node-test.mjs', '--test-reporter-destination=stderr'];
const VITEST = ['run', '--reporter=default', '--reporter=REPORTERS/vitest.mjs', '--coverage.enabled=false', '--passWithNoTests'];
const JEST = ['--reporters=default', '--reporters=REPORTERS/jest.mjs', '--coverage=false', '--passWithNoTests'];
const BIN = 'node_modules/.bin';

describe('the tests of a Node package', () => {
  it.each([
    ['node --test', ['node', ...NODE]],
    ['node --import tsx --test test/a.test.ts', ['node', ...NODE, '--import', 'tsx', 'test/a.test.ts']],
    ['node --test --test-reporter tap --test-reporter-destination=out.tap --watch', ['node', ...NODE]],
    ["node --test 'test/**/*.test.js'", ['node', ...NODE, 'test/**/*.test.js']],
    ['vitest', [`${BIN}/vitest`, ...VITEST]],
    ['npx vitest run --config vitest.unit.ts --reporter=junit --outputFile out.xml --coverage', [`${BIN}/vitest`, ...VITEST, '--config', 'vitest.unit.ts']],
    ['./node_modules/.bin/jest --watchAll -i', [`${BIN}/jest`, ...JEST, '-i']],
    ['NODE_OPTIONS=--experimental-vm-modules jest', ['env', 'NODE_OPTIONS=--experimental-vm-modules', `${BIN}/jest`, ...JEST]],
    ['cross-env CI=1 vitest', ['env', 'CI=1', `${BIN}/vitest`, ...VITEST]],
    ['node --experimental-vm-modules node_modules/jest/bin/jest.js src', ['node', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...JEST, 'src']],
  ])('%s', async (script, argv) => {
    expect(program(await planned(withTest(script)))).toEqual(argv);
  });

  it('gives patterns to a shell as they stand, every other word as itself', async () => {
    expect(program(await planned(withTest('node --test test/*.test.js "a b"')))).toEqual(['sh', '-c', `exec "$@" test/*.test.js 'a b'`, 'sh', 'node', ...NODE]);
  });

  it('takes the runner that the package depends on where its script is no plain command', async () => {
    expect(program(await planned(withTest('tsc && vitest run', { devDependencies: { vitest: '4' } })))).toEqual([`${BIN}/vitest`, ...VITEST]);
  });

  it.each([
    ['node', '--test-name-pattern='],
    ['vitest', '--testNamePattern='],
    ['jest', '--testNamePattern='],
  ])('filters names by the text itself: %s', async (runner, option) => {
    const script = runner === 'node' ? 'node --test' : runner;
    expect(program(await planned(withTest(script), { filter: ' a.b (c) ' }))).toContain(`${option}${String.raw`a\.b \(c\)`}`);
  });

  it('has the same target for the same check, whatever is spelled otherwise or counted', async () => {
    const { target, scope, parser } = await planned({ 'web/package.json': '{"scripts":{"test":"node --test"}}' }, { scope: { packages: ['./web/'] }, minimumTests: 7 });
    expect({ target, scope, parser }).toEqual({
      target: { adapter: 'node', action: 'test', tool: 'node', cwd: 'web', filter: null },
      scope: { package: 'web', filter: null, features: [], targets: ['node'] },
      parser: 'node_test/1',
    });
  });

  it('finds programs in the nearest node_modules up to the root of the project', async () => {
    const files = { 'apps/web/package.json': '{"scripts":{"test":"vitest"}}', 'node_modules/.bin/vitest': '' };
    const run = await planned(files, { scope: { packages: ['apps/web'] } });
    expect([run.cwd, program(run)[0]]).toEqual(['apps/web', '../../node_modules/.bin/vitest']);
    expect(program(await planned({ ...files, 'apps/web/node_modules/.bin/vitest': '' }, { scope: { packages: ['apps/web'] } }))[0]).toBe('node_modules/.bin/vitest');
  });

  it.each<[string, Files, object]>([
    ['no test runner', withTest('mocha'), { error_kind: 'capability_unavailable', reason_code: 'no_known_test_runner', candidates: ['node', 'vitest', 'jest'] }],
    ['no test script', { 'package.json': '{}' }, { error_kind: 'capability_unavailable', reason_code: 'no_known_test_runner' }],
    [
      'two runners and no word which',
      withTest('npm run all', { devDependencies: { vitest: '4', jest: '30' } }),
      { error_kind: 'capability_unavailable', reason_code: 'ambiguous_test_runner', candidates: ['vitest', 'jest'] },
    ],
    ['a runner that is not installed', { 'package.json': '{"scripts":{"test":"vitest"}}' }, { error_kind: 'capability_unavailable', reason_code: 'tool_not_installed' }],
    ['a broken package.json', { 'package.json': '{"scripts": ' }, { error_kind: 'capability_unavailable', reason_code: 'manifest_unreadable' }],
    ['a package.json that is a list', { 'package.json': '[]' }, { error_kind: 'capability_unavailable', reason_code: 'manifest_unreadable' }],
    ['a huge package.json', { 'package.json': null }, { error_kind: 'capability_unavailable', reason_code: 'manifest_unreadable' }],
    ['no package.json', {}, { error_kind: 'validation_scope_unavailable', reason_code: 'no_such_package' }],
  ])('is refused with %s', async (_what, files, output) => {
    expect(await refused(files)).toMatchObject({ ...output, failure_kind: 'capability_unavailable', state_changed: false });
  });

  it.each([['../other'], ['/etc'], ['a/../b'], ['a//b']])('takes no folder %s', async (folder) => {
    expect(await refused(withTest('vitest'), { scope: { packages: [folder] } })).toMatchObject({ error_kind: 'validation_scope_unavailable', reason_code: 'invalid_package_folder' });
  });

  it('is asked for one package at a time', async () => {
    expect(await refused(withTest('vitest'), { scope: { packages: ['a', 'b'] } })).toMatchObject({ error_kind: 'validation_scope_unavailable', reason_code: 'one_package_a_run' });
  });
});

describe('a package script', () => {
  it.each(['a && b', 'a | b', 'a > b', 'a $X', 'a "$X"', 'a `b`', 'a; b', 'a &', '(a)', 'a # b', 'a ~', "a 'b", 'a "b', String.raw`a \b`, 'X=1', '', '   '])(
    'that takes a shell is not taken apart: %s',
    (script) => {
      expect(plainCommand(script)).toBeNull();
    },
  );

  it('of more than 4,000 characters is not taken apart', () => {
    expect(plainCommand(`a ${'x'.repeat(3_998)}`)?.args).toHaveLength(1);
    expect(plainCommand(`a ${'x'.repeat(3_999)}`)).toBeNull();
  });

  it('is its words, its quotes taken off', () => {
    expect(plainCommand(`pnpm exec A=b vitest  "two words" 'a$b' c*d`)).toEqual({
      environment: ['A=b'],
      program: 'vitest',
      args: [
        { text: 'two words', isPattern: false },
        { text: 'a$b', isPattern: false },
        { text: 'c*d', isPattern: true },
      ],
    });
  });
});

describe('the checks of a Node package', () => {
  const files = { 'package.json': '{}', 'node_modules/.bin/tsc': '', 'node_modules/.bin/eslint': '', 'node_modules/.bin/prettier': '' };
  const argvOf = ({ executable, args }: ValidatorRun): string[] => [executable, ...args];

  it('are its types, where they can be checked', async () => {
    const run = await planned({ ...files, 'tsconfig.json': '{}' }, {}, 'check');
    expect(argvOf(run)).toEqual([`${BIN}/tsc`, '--project', 'tsconfig.json', '--noEmit', '--pretty', 'false']);
    expect(run).toMatchObject({ kind: 'check', purpose: 'validation', parser: 'tsc/1', minimumTests: null });
    const solution = { ...files, 'tsconfig.json': '{ "files": [], "references": [{ "path": "./app" }] }' };
    expect(argvOf(await planned(solution, {}, 'check'))).toEqual([`${BIN}/tsc`, '--build', '--noEmit', '--pretty', 'false']);
  });

  it('are those of ESLint otherwise, of what its lint script lints', async () => {
    expect(argvOf(await planned(files, {}, 'check'))).toEqual([`${BIN}/eslint`, '--no-color', '--format', 'stylish', '.']);
    const scripted = { ...files, 'package.json': '{"scripts":{"lint":"eslint --fix --max-warnings 0 src"}}' };
    expect(argvOf(await planned(scripted, {}, 'check'))).toEqual([`${BIN}/eslint`, '--no-color', '--format', 'stylish', '--max-warnings', '0', 'src']);
  });

  it('are those of Prettier for the formatting', async () => {
    const run = await planned(files, {}, 'format_check');
    expect(argvOf(run)).toEqual([`${BIN}/prettier`, '--list-different', '--no-color', '.']);
    expect(run).toMatchObject({ kind: 'format', purpose: 'format', parser: 'prettier/1' });
  });

  it.each(['check', 'format_check'] as const)('are never fetched: %s', async (action) => {
    expect(await refused({ 'package.json': '{"devDependencies":{"eslint":"9","prettier":"3"}}' }, {}, action)).toMatchObject({
      error_kind: 'capability_unavailable',
      reason_code: 'tool_not_installed',
    });
  });
});
