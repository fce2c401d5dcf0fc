import { describe, expect, it } from 'vitest';
import type { ParserId, ValidationRequest, ValidatorRun } from '../../../../src/daemon/validation/adapter.js';
import { pythonAdapter } from '../../../../src/daemon/validation/adapters/python/index.js';
import type { Diagnostic } from '../../../../src/daemon/validation/parsed-output.js';
import { probeOf, requestFor } from '../probe-of.js';

type Files = Readonly<Record<string, string | null>>;

async function planned(files: Files, changes: Partial<ValidationRequest> = {}, action: ValidationRequest['action'] = 'test'): Promise<ValidatorRun> {
  const run = await pythonAdapter.plan(requestFor(action, changes), probeOf(files));
  if ('failure' in run) throw new Error(run.failure.error);
  return run;
}

/** The words after the report channel and our own pytest. */
function pytestArgs({ args }: ValidatorRun): readonly string[] {
  return args.slice(3).map((arg) => arg.replace(/.*\/reporters\//, 'REPORTERS/'));
}

describe('the tests of a Python project', () => {
  it('run with its own virtual environment, else with python3', async () => {
    expect(pytestArgs(await planned({}))).toEqual(['python3', 'REPORTERS/pytest_report.py']);
    expect(pytestArgs(await planned({ '.venv/pyvenv.cfg': '' }))).toEqual(['.venv/bin/python', 'REPORTERS/pytest_report.py']);
    const nested = { 'venv/pyvenv.cfg': '', 'services/api/pyproject.toml': '' };
    const run = await planned(nested, { scope: { packages: ['services/api'] } });
    expect([run.cwd, pytestArgs(run)[0]]).toEqual(['services/api', '../../venv/bin/python']);
  });

  it('are those of the packages that are asked about, by their paths', async () => {
    const run = await planned({}, { scope: { packages: ['tests/b/', './tests/a'] }, filter: 'adds and not slow' });
    expect([run.cwd, pytestArgs(run)]).toEqual([null, ['python3', 'REPORTERS/pytest_report.py', '-k', 'adds and not slow', 'tests/a', 'tests/b']]);
    expect(run.target).toEqual({ adapter: 'python', action: 'test', tool: 'pytest', cwd: '.', packages: ['tests/a', 'tests/b'], filter: 'adds and not slow' });
  });

  it('take no path out of the project', async () => {
    expect(await pythonAdapter.plan(requestFor('test', { scope: { packages: ['../x'] } }), probeOf({}))).toMatchObject({
      failure: { output: { error_kind: 'validation_scope_unavailable' } },
    });
  });
});

describe('Ruff', () => {
  it.each<[string, Files, string]>([
    ['its settings', { 'ruff.toml': '' }, 'ruff'],
    ['its table in pyproject.toml', { 'pyproject.toml': '[project]\n[tool.ruff.lint]\n' }, 'ruff'],
    ['the virtual environment', { '.venv/bin/ruff': null, '.venv/pyvenv.cfg': '' }, '.venv/bin/ruff'],
  ])('is run where %s say so', async (_what, files, executable) => {
    expect(await planned(files, {}, 'check')).toMatchObject({ executable, args: ['check', '--no-fix', '--output-format=concise', '.'], parser: 'ruff_check/1' });
    expect(await planned(files, {}, 'format_check')).toMatchObject({ executable, args: ['format', '--check', '.'], parser: 'ruff_format/1', kind: 'format' });
  });

  it('is not run in a project that does not have it', async () => {
    expect(await pythonAdapter.plan(requestFor('check'), probeOf({ 'pyproject.toml': '[tool.black]\n' }))).toMatchObject({
      failure: { output: { error_kind: 'capability_unavailable', reason_code: 'tool_not_installed' } },
    });
  });

  const found = (parser: ParserId, lines: readonly string[]): readonly Diagnostic[] => {
    const parse = pythonAdapter.parsers[parser]?.({ root: '/home/me/project', cwd: '.', hints: {} });
    for (const line of lines) parse?.line('stdout', line);
    return parse?.finish({ exitCode: 1, timedOut: false, truncated: false }).diagnostics.items ?? [];
  };

  it('says what it found', () => {
    expect(
      found('ruff_check/1', ['src/a.py:3:8: F401 [*] `os` imported but unused', 'b.py:1:7: invalid-syntax: Expected an expression', 'Found 2 errors.', '[*] 1 fixable with the `--fix` option.']),
    ).toEqual([
      { severity: 'error', code: 'F401', message: '`os` imported but unused', file: 'src/a.py', line: 3, column: 8 },
      { severity: 'error', code: 'invalid-syntax', message: 'Expected an expression', file: 'b.py', line: 1, column: 7 },
    ]);
    expect(found('ruff_format/1', ['Would reformat: src/a b.py', 'error: Failed to parse c.py:1:5: Expected an identifier', '1 file would be reformatted'])).toEqual([
      { severity: 'error', code: null, message: 'not formatted', file: 'src/a b.py', line: null, column: null },
      { severity: 'error', code: null, message: 'Expected an identifier', file: 'c.py', line: 1, column: 5 },
    ]);
  });
});
