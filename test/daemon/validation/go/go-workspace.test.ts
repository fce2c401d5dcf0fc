import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { goAdapter } from '../../../../src/daemon/validation/adapters/go/index.js';
import { hintedModules } from '../../../../src/daemon/validation/adapters/go/module-hint.js';
import { createGoTestParser } from '../../../../src/daemon/validation/adapters/go/go-test-parser.js';
import { ExecutionHouse } from '../../execution/execution-house.js';
import { parse } from '../parse.js';
import { probeOf, requestFor } from '../probe-of.js';
import { toolchainEnvironment } from '../toolchains.js';

const WORK = 'go 1.19 // the least\n\nuse ./tool\nuse (\n\t"./mod a" // with a space\n\t.\n\t../elsewhere\n\t/absolute\n)\nreplace example.com/x => ./x\n';
const FILES = { 'go.work': WORK, 'go.mod': 'module example.com/root\n', 'tool/go.mod': 'module example.com/tool/v2\n', 'mod a/go.mod': 'module example.com/a\n' };

async function planned(changes: Parameters<typeof requestFor>[1] = {}, action: Parameters<typeof requestFor>[0] = 'test') {
  const plan = await goAdapter.plan(requestFor(action, changes), probeOf(FILES));
  if ('failure' in plan) throw new Error(plan.failure.error);
  return plan;
}

describe('a Go workspace', () => {
  it('is all of its modules inside the project, since ./... ends at a module’s edge', async () => {
    const run = await planned();
    expect(run.args).toEqual(['test', '-json', './...', './mod a/...', './tool/...']);
    expect([...hintedModules(run.hints ?? {})]).toEqual([
      ['example.com/root', '.'],
      ['example.com/a', 'mod a'],
      ['example.com/tool/v2', 'tool'],
    ]);
    expect((await planned({ scope: 'all_packages' })).args).toEqual(run.args);
    expect((await planned({}, 'check')).args).toEqual(['vet', './...', './mod a/...', './tool/...']);
    expect((await planned({}, 'format_check')).args).toEqual(['-l', '.', './mod a', './tool']);
  });

  it('of named packages takes those', async () => {
    expect((await planned({ scope: { packages: ['tool/...'] } })).args).toEqual(['test', '-json', './tool/...']);
  });

  it('with more modules than one run takes says so', async () => {
    const probe = probeOf({ 'go.work': Array.from({ length: 257 }, (_, index) => `use ./m${index}`).join('\n') });
    expect(await goAdapter.plan(requestFor('test'), probe)).toMatchObject({ failure: { output: { error_kind: 'validation_scope_unavailable', reason_code: 'too_many_modules' } } });
  });

  it.each([
    ['example.com/root', 'a_test.go'],
    ['example.com/root/sub', 'sub/a_test.go'],
    ['example.com/tool/v2/cmd', 'tool/cmd/a_test.go'],
    ['example.com/a', 'mod a/a_test.go'],
    ['example.com/another', null],
  ])('files of the package %s are found in its module’s folder', async (name, file) => {
    const events = [{ Action: 'run' }, { Action: 'output', Output: '    a_test.go:3: no\n' }, { Action: 'fail' }].map((event) => ({ ...event, Package: name, Test: 'TestA' }));
    const stdout = [...events, { Action: 'fail', Package: name }].map((event) => `${JSON.stringify(event)}\n`).join('');
    const { failedTests } = parse(createGoTestParser, { stdout }, { exitCode: 1 }, { hints: (await planned()).hints ?? {} });
    expect(failedTests.items).toMatchObject([{ name: `${name}.TestA`, file }]);
  });
});

describe('a Go workspace on the real toolchain', () => {
  const house = new ExecutionHouse();
  afterAll(() => house.close());

  it('has every module tested in one run, and a pattern that reaches none says so', async () => {
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(house.projectPath, path)), { recursive: true });
      writeFileSync(join(house.projectPath, path), text);
    };
    const test = (body: string): string => `package x\n\nimport "testing"\n\nfunc TestX(t *testing.T) { ${body} }\n`;
    write('go.work', 'go 1.19\n\nuse (\n\t"./mod a"\n\t./b\n)\n');
    write('mod a/go.mod', 'module example.com/a\n\ngo 1.19\n');
    write('mod a/sub/x_test.go', test('t.Fatal("no")'));
    write('b/go.mod', 'module example.com/b\n\ngo 1.19\n');
    write('b/x_test.go', test(''));
    const daemon = house.daemon();
    const environment = toolchainEnvironment();
    const { result } = await daemon.call('project_validate', { action: 'test', sync_wait_secs: 60 }, { environment });
    expect(result.output['validation']).toMatchObject({
      counts: { passed: 1, failed: 1, total: 2 },
      failed_tests: [{ name: 'example.com/a/sub.TestX', message: 'no', file: 'mod a/sub/x_test.go', line: 5 }],
    });
    const root = await daemon.call('go_test', { sync_wait_secs: 60 }, { environment });
    expect(root.result.output['validation']).toMatchObject({
      status: 'failed',
      diagnostics: [{ message: expect.stringMatching(/^pattern \.\/\.\.\.: /) as string, file: null }],
    });
  });
});
