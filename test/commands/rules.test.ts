import { describe, expect, it } from 'vitest';
import { executionExitCode } from '../../src/commands/framework/execution-exit.js';
import { matchFastCall } from '../../src/commands/framework/fast-path.js';
import { fillSelectors, variablesOf } from '../../src/commands/framework/fill-selectors.js';
import { editDistance, nearestNames } from '../../src/commands/framework/nearest-names.js';
import { fromTheStart } from '../../src/commands/framework/follow-job.js';
import { missingOutput } from '../../src/commands/framework/missing-output.js';
import { OutputPosition } from '../../src/commands/framework/output-position.js';
import { readDuration, readMoment } from '../../src/commands/framework/read-duration.js';
import { readInput } from '../../src/commands/framework/read-input.js';
import { requireInputs, toolArguments } from '../../src/commands/framework/tool-arguments.js';
import { oclifFlags, toolFlags } from '../../src/commands/framework/tool-flags.js';
import { indexTool, indexTools } from '../../src/commands/framework/tool-index.js';
import type { CatalogTool, JsonSchema } from '../../src/protocol/catalog.js';

function tool(facts: Partial<CatalogTool>, properties: Record<string, JsonSchema>, required: string[] = []): CatalogTool {
  return {
    name: 'do_thing',
    command: 'do-thing',
    title: 'Do',
    summary: 'Does.',
    category: 'runtime',
    visibility: 'model_visible',
    effect: 'observe',
    risk: 'read_only',
    approval: 'none',
    idempotency: 'pure_read',
    scopes: { kind: 'all', scopes: [] },
    session: 'none',
    project: 'none',
    path_hint: 'none',
    destructive: false,
    shell_like: false,
    captures_validation_output: false,
    git_like: false,
    change_summary_like: false,
    session_evidence: 'none',
    recorded_inputs: [],
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    outputSchema: {},
    ...facts,
  };
}

const EVERYTHING = tool(
  { cli: { positionals: ['path', 'others'] } },
  {
    path: { type: 'string' },
    others: { type: 'array', items: { type: 'string' } },
    limit: { type: 'integer', minimum: 1, maximum: 9, default: 3, description: 'How many' },
    ratio: { type: 'number' },
    deep: { type: 'boolean' },
    mode: { type: 'string', enum: ['a', 'b'] },
    codes: { type: 'array', items: { type: 'integer' } },
    items: { type: 'array', items: { type: 'object' } },
    context: { type: 'object' },
    scope: { anyOf: [{ type: 'string', const: 'all' }, { type: 'object' }] },
    title: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    stream: { type: 'string' },
    input: { type: 'string' },
    session_id: { type: 'string' },
    project: { type: 'string' },
  },
  ['path', 'limit'],
);

describe('flags out of a schema', () => {
  it('are one for each input, scalars as such, lists repeatable, objects as JSON', () => {
    expect(toolFlags(EVERYTHING).map(({ flag, kind, repeated }) => [flag, kind, repeated])).toEqual([
      ['path', 'string', false],
      ['others', 'string', true],
      ['limit', 'integer', false],
      ['ratio', 'number', false],
      ['deep', 'boolean', false],
      ['mode', 'string', false],
      ['codes', 'integer', true],
      ['items', 'json', false],
      ['context', 'json', false],
      ['scope', 'json', false],
      ['title', 'string', false],
      ['stream', 'string', false],
      ['arg-input', 'string', false],
    ]);
  });

  it('say bounds and defaults, offer the values of an enum, and know the selectors', () => {
    const flags = oclifFlags(EVERYTHING);
    expect(flags['limit']).toMatchObject({ type: 'option', summary: 'How many (at least 1, at most 9, default 3)' });
    expect(flags['mode']).toMatchObject({ options: ['a', 'b'] });
    expect(flags['deep']).toMatchObject({ type: 'boolean', allowNo: true });
    expect(Object.keys(flags)).toEqual(expect.arrayContaining(['session', 'project', 'record', 'json', 'input', 'progress']));
    expect(Object.keys(flags)).not.toContain('env');
  });
});

describe('arguments out of a command line', () => {
  const typed = (flags: Record<string, unknown>, words: string[] = [], program: string[] | null = null) =>
    toolArguments(EVERYTHING, { flags, words, program });

  it('have the types of the schema', () => {
    expect(
      typed({ limit: '7', ratio: '0.5', deep: false, codes: ['1', '2'], items: '[{"a":1}]', title: 'x', 'arg-input': 'y', json: true }),
    ).toEqual({ limit: 7, ratio: 0.5, deep: false, codes: [1, 2], items: [{ a: 1 }], title: 'x', input: 'y' });
  });

  it('take a word that a union knows without quotes, and everything else as JSON', () => {
    expect([typed({ scope: 'all' }), typed({ scope: '"all"' }), typed({ scope: '{"a":1}' })]).toEqual([{ scope: 'all' }, { scope: 'all' }, { scope: { a: 1 } }]);
    expect(() => typed({ scope: 'some' })).toThrow(/^--scope is no JSON: /);
    expect(oclifFlags(EVERYTHING)['scope']).toMatchObject({ helpValue: 'all|JSON' });
  });

  it('take plain words in their order, the last list all that are left', () => {
    expect(typed({}, ['p', 'q', 'r'])).toEqual({ path: 'p', others: ['q', 'r'] });
    expect(typed({}, ['p'], ['-q'])).toEqual({ path: 'p', others: ['-q'] });
  });

  it.each([
    [{ limit: 'many' }, "--limit takes a whole number, not 'many'."],
    [{ limit: '1.5' }, "--limit takes a whole number, not '1.5'."],
    [{ limit: '' }, "--limit takes a whole number, not ''."],
    [{ ratio: 'x' }, "--ratio takes a number, not 'x'."],
  ])('refuse %o', (flags, message) => {
    expect(() => typed(flags)).toThrow(message);
  });

  it('refuse JSON that is none, and a word too many', () => {
    expect(() => typed({ items: '[' })).toThrow(/^--items is no JSON: /);
    const one = tool({ cli: { positionals: ['path'] } }, { path: { type: 'string' } });
    expect(() => toolArguments(one, { flags: {}, words: ['a', 'b'], program: null })).toThrow("'b' is a word too many.");
  });

  it('take everything after -- as program and arguments', () => {
    const runs = tool({ cli: { program: { executable: 'executable', args: 'args' } } }, { executable: { type: 'string' }, args: { type: 'array' } });
    const words = ['git', 'log', '--', '--json'];
    expect(toolArguments(runs, { flags: {}, words: [], program: words })).toEqual({ executable: 'git', args: ['log', '--', '--json'] });
    expect(() => toolArguments(runs, { flags: {}, words: [], program: [] })).toThrow('No program stands after --.');
  });

  it('that lack a required input are refused by the way to give it', () => {
    expect(() => requireInputs(EVERYTHING, { limit: 1 })).toThrow('PATH is missing.');
    expect(() => requireInputs(EVERYTHING, { path: 'p' })).toThrow('--limit is missing.');
    expect(() => requireInputs(EVERYTHING, { path: 'p', limit: 1 })).not.toThrow();
  });
});

describe('selectors', () => {
  const facts = { session: 'fillable', project: 'fillable' } as const;

  it('come from a flag, else from the arguments, else from a variable that holds something', () => {
    const variables = variablesOf({ WC_SESSION: '~s9', WC_PROJECT: 'var', WC_RECORD: '' });
    expect(variables).toEqual({ session: '~s9', project: 'var', record: undefined });
    expect(fillSelectors(facts, { project: 'arg' }, { session: '~s1' }, variables)).toEqual({ session_id: '~s1', project: 'arg' });
    expect(fillSelectors(facts, {}, {}, variables)).toEqual({ session_id: '~s9', project: 'var' });
  });

  it('never point a tool about projects, or a filter, at a variable', () => {
    const explicit = { session: 'explicit', project: 'explicit' } as const;
    expect(fillSelectors(explicit, {}, {}, { session: '~s9', project: 'var' })).toEqual({});
    expect(fillSelectors(explicit, {}, { project: 'flag' }, {})).toEqual({ project: 'flag' });
    expect(indexTool(tool({ category: 'project', project: 'own' }, { project: { type: 'string' } })).project).toBe('explicit');
    expect(indexTool(tool({ session: 'none' }, { session_id: { type: 'string' } })).session).toBe('explicit');
  });
});

describe('the script path', () => {
  const index = indexTools({
    version: '1',
    tools: [
      tool({ session: 'records', project: 'required' }, { session_id: {}, project: {} }),
      tool({ name: 'run_it', command: 'run-it', effect: 'execute', shell_like: true }, { sync_wait_secs: {} }),
      tool({ name: 'plain', command: 'plain' }, {}),
    ],
  });

  it('takes <tool> --json with arguments and selectors, in any order', () => {
    expect(matchFastCall(['do-thing', '--json', '--input', '{}'], index)).toMatchObject({ input: '{}', tool: { name: 'do_thing' } });
    expect(matchFastCall(['do-thing', '--project=p', '--session', 's', '--record', 'r', '--json'], index)).toMatchObject({
      project: 'p',
      session: 's',
      record: 'r',
      input: undefined,
    });
    expect(matchFastCall(['run-it', '--json', '--no-env', '--input=@f'], index)).toMatchObject({ withEnvironment: false, input: '@f' });
  });

  it.each([
    [['do-thing']],
    [['do-thing', '--input', '{}']],
    [['do-thing', '--json', '--help']],
    [['do-thing', '--json', 'word']],
    [['do-thing', '--json', '--input']],
    [['do-thing', '--json', '--input', '{}', '--input', '{}']],
    [['do-thing', '--json', '--limit', '3']],
    [['plain', '--json', '--project', 'p']],
    [['run-it', '--json']],
    [['other', '--json']],
    [['constructor', '--json']],
    [[]],
  ])('leaves %j to the framework', (argv) => {
    expect(matchFastCall(argv, index)).toBeNull();
  });

  it('knows a tool that ends with a program from one that only admits a Job', () => {
    expect(index['run-it']).toMatchObject({ runs: true, ends: true });
    expect(indexTool(tool({ effect: 'execute', shell_like: true }, {}))).toMatchObject({ runs: true, ends: false });
  });
});

describe('--input', () => {
  it('is an object, and nothing else', () => {
    expect(readInput('{"a":1}')).toEqual({ a: 1 });
    expect(() => readInput('[1]')).toThrow('--input is the object of all arguments, and this is another kind of JSON value.');
    expect(() => readInput('{')).toThrow(/^--input is no JSON: /);
    expect(() => readInput('@/no/such/file')).toThrow('/no/such/file can not be read (ENOENT).');
  });
});

describe('the exit code of a program', () => {
  const of = (output: Record<string, string | number | null>): number => executionExitCode({ success: true, output });

  it.each([
    [{ execution_state: 'completed', exit_code: 0, signal: null }, 0],
    [{ execution_state: 'completed', exit_code: 7, signal: null }, 7],
    [{ execution_state: 'completed', exit_code: -1, signal: 'SIGSEGV' }, 139],
    [{ execution_state: 'completed', exit_code: -1, signal: 'SIGKILL' }, 137],
    [{ execution_state: 'timed_out', exit_code: -1, signal: 'SIGTERM' }, 124],
    [{ execution_state: 'cancelled', exit_code: -1, signal: 'SIGTERM' }, 143],
    [{ execution_state: 'running' }, 0],
    [{ execution_state: 'queued' }, 0],
    [{ execution_state: 'not_started' }, 125],
    [{ execution_state: 'outcome_unknown' }, 125],
    [{ error_kind: 'unknown_project' }, 125],
  ])('of %o is %i', (output, code) => {
    expect(of(output)).toBe(code);
  });
});

describe('spans and moments', () => {
  it('are read with their units', () => {
    expect([readDuration('x', '90s'), readDuration('x', '15m'), readDuration('x', '2h'), readDuration('x', '7d')]).toEqual([
      90_000, 900_000, 7_200_000, 604_800_000,
    ]);
    expect(readMoment('since', '2h', 10_000_000)).toBe(2_800_000);
    expect(readMoment('since', '2026-07-28T09:00:00+02:00', 0)).toBe(Date.parse('2026-07-28T07:00:00Z'));
  });

  it.each([['2'], ['h'], ['2 h'], ['-2h'], ['']])('refuse the span %j', (text) => {
    expect(() => readDuration('for', text)).toThrow('--for takes a span such as 90s, 15m, 2h or 7d');
  });

  it.each([
    ['without its zone', '2026-07-28T09:00:00'],
    ['of a day that there is not', '2026-02-30T09:00:00Z'],
    ['that is not ISO 8601', 'Jul 28 2026 09:00 Z'],
  ])('refuse a time %s', (_, text) => {
    expect(() => readMoment('since', text, 0)).toThrow('--since takes a span');
  });
});

describe('a mistyped word', () => {
  it('finds what is near, also with letters swapped or left out', () => {
    expect(editDistance('sesion', 'session')).toBe(1);
    expect(editDistance('lsit', 'list')).toBe(1);
    expect(nearestNames('list-tolls', ['list-tools', 'list-jobs', 'daemon'])).toEqual(['list-tools']);
    expect(nearestNames('read', ['read-files', 'read-job-output'])).toEqual(['read-files', 'read-job-output']);
    expect(nearestNames('xyzzy', ['list-tools', 'daemon'])).toEqual([]);
  });
});

describe('the position in an output', () => {
  it('counts lines and the bytes of the line that is not over', () => {
    const position = new OutputPosition();
    position.pass(Buffer.from('one\ntwo\nthr'));
    position.pass(Buffer.from('ée'));
    expect([position.startLine, position.skipBytes]).toEqual([3, 6]);
    position.pass(Buffer.from('\n'));
    expect([position.startLine, position.skipBytes]).toEqual([4, 0]);
  });

  it('goes on where a read ended, also behind a dropped part', () => {
    const position = new OutputPosition();
    position.pass(Buffer.from('one\n'));
    position.passRead(Buffer.from('nine\nte'), { start_line: 10, skip_bytes: 2 });
    expect([position.startLine, position.skipBytes, position.bytes]).toEqual([10, 2, 11]);
  });

  it('says what never came, by the stream and its bytes', () => {
    const positions = fromTheStart();
    positions.stdout.pass(Buffer.from('abc'));
    expect(missingOutput({ stdout_bytes: 3, stderr_bytes: 0 }, positions)).toBeNull();
    expect(missingOutput({}, positions)).toBeNull();
    expect(missingOutput({ stdout_bytes: 10, stderr_bytes: 5 }, positions)).toBe(
      '7 of 10 bytes of stdout and 5 of 5 bytes of stderr are missing above: they were dropped before they could be read (runner.spool_max_bytes, or a full disk).',
    );
  });
});
