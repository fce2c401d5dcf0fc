import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toolDefinitions } from '../../src/daemon/all-tools.js';
import { SESSION_SELECTOR_PATTERN } from '../../src/protocol/ids.js';
import { isScope } from '../../src/protocol/scopes.js';
import { isShellLike, TOOL_CATEGORIES } from '../../src/protocol/tool-definition.js';
import { RETIRED_NAMES } from './retired-names.js';

const definitions = await toolDefinitions();
const names = definitions.map(({ name }) => name);

describe('the set of definitions', () => {
  it('has unique names', () => {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('has no retired name', () => {
    expect(names.filter((name) => RETIRED_NAMES.has(name))).toEqual([]);
  });

  it('gives each place of the direct list once, to visible tools that are no specialists', () => {
    const direct = definitions.filter(({ direct_rank }) => direct_rank !== undefined);
    const ranks = direct.map(({ direct_rank }) => direct_rank);
    expect(new Set(ranks).size).toBe(ranks.length);
    expect(direct.filter((tool) => tool.visibility !== 'model_visible' || tool.specialist === true)).toEqual([]);
  });

  it('has exactly one gateway', () => {
    expect(definitions.filter(({ gateway }) => gateway === true).map(({ name }) => name)).toEqual(['call_runtime_tool']);
  });
});

describe.each(definitions)('$name', (definition) => {
  const schema = z.toJSONSchema(definition.input, { io: 'input' }) as Record<string, unknown> & {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  const properties = schema.properties ?? {};

  it('is named verb_object, at most 50 characters of [a-z0-9_]', () => {
    expect(definition.name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/);
    expect(definition.name.length).toBeLessThanOrEqual(50);
  });

  it('has a one-line summary, a title and a category of the taxonomy', () => {
    expect(definition.title).not.toBe('');
    expect(definition.summary).toMatch(/^[^\n]{1,240}$/);
    expect(TOOL_CATEGORIES).toContain(definition.category);
  });

  it('never calls an effect an observation', () => {
    if (definition.effect !== 'observe') return;
    expect(definition.destructive).toBe(false);
    expect(isShellLike(definition)).toBe(false);
    expect(definition.risk).toBe('read_only');
  });

  it('is a pure read exactly when it observes', () => {
    expect(definition.idempotency === 'pure_read').toBe(definition.effect === 'observe');
  });

  it('asks for known scopes', () => {
    expect(definition.scopes.scopes.filter((scope) => !isScope(scope))).toEqual([]);
  });

  it('takes a closed object without unions at its root', () => {
    expect(schema['type']).toBe('object');
    expect(schema['additionalProperties']).toBe(false);
    expect(['oneOf', 'anyOf', 'allOf', '$ref'].filter((keyword) => keyword in schema)).toEqual([]);
  });

  it('advertises the selector pattern on its session_id, and has one exactly when it takes a Session', () => {
    const selector = properties['session_id'];
    expect(selector !== undefined).toBe(definition.session !== 'none');
    if (selector !== undefined) expect(selector['pattern']).toBe(SESSION_SELECTOR_PATTERN);
    expect(schema.required?.includes('session_id') ?? false).toBe(definition.session === 'target');
  });

  it('takes a project as it says', () => {
    const required = schema.required?.includes('project') ?? false;
    if (definition.project !== 'own') expect(required).toBe(definition.project === 'required');
    if (definition.project === 'none') expect(properties).not.toHaveProperty('project');
    if (definition.project === 'session_default') expect(properties).toHaveProperty('project');
  });

  it('records only inputs that it has', () => {
    expect(definition.recorded_inputs.filter((input) => !(input in properties))).toEqual([]);
  });

  it('fills only inputs that it has from the terminal', () => {
    const { positionals = [], program } = definition.cli ?? {};
    const inputs = program === undefined ? positionals : [...positionals, ...(program.executable === undefined ? [] : [program.executable]), program.args];
    expect(inputs.filter((input) => !(input in properties))).toEqual([]);
  });

  it('never takes what the kernel injects', () => {
    const injected = ['_wc', 'recording_session_id', 'environment', 'stdin_pipe'];
    expect(Object.keys(properties).filter((name) => injected.includes(name) || name.startsWith('__'))).toEqual([]);
  });
});
