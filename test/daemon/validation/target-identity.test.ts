import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ValidatorRun } from '../../../src/daemon/validation/adapter.js';
import { canonicalFolder, canonicalName, canonicalNames } from '../../../src/daemon/validation/canonical-target.js';
import { scopeIdentity, validationTargetId } from '../../../src/daemon/validation/target-identity.js';

const RUN: ValidatorRun = {
  tool: 'cargo_test',
  adapter: 'rust',
  kind: 'test',
  executable: 'cargo',
  args: ['test'],
  cwd: null,
  purpose: 'test',
  timeoutSecs: 1_800,
  target: { cwd: '.', package: null, filter: null, features: [], all_targets: false, all_features: false, no_default_features: false, no_run: false },
  scope: { package: null, filter: null, features: [], targets: [] },
  parser: 'cargo_test/1',
  minimumTests: null,
};

describe('validation_target_id', () => {
  it('is 24 hex of the SHA-256 over canonical JSON of tool, kind and tuple', () => {
    const canonical =
      '{"kind":"test","target":{"all_features":false,"all_targets":false,"cwd":".","features":[],"filter":null,"no_default_features":false,"no_run":false,"package":null},"tool":"cargo_test"}';
    expect(validationTargetId(RUN)).toBe(createHash('sha256').update(canonical).digest('hex').slice(0, 24));
  });

  it('does not depend on the order of keys, on counts, the time-out, the argv or the parser', () => {
    const target = Object.fromEntries(Object.entries(RUN.target).reverse());
    const same: ValidatorRun = { ...RUN, target, minimumTests: 5, timeoutSecs: 1, args: ['test', '--locked'], parser: 'cargo_test/2', purpose: 'validation' };
    expect(validationTargetId(same)).toBe(validationTargetId(RUN));
  });

  it.each<[string, Partial<ValidatorRun>]>([
    ['the tool', { tool: 'project_validate' }],
    ['the kind', { kind: 'check' }],
    ['a filter', { target: { ...RUN.target, filter: 'adds' } }],
    ['a folder', { target: { ...RUN.target, cwd: 'core' } }],
    ['a flag', { target: { ...RUN.target, no_run: true } }],
    ['null, which is no text', { target: { ...RUN.target, package: 'null' } }],
  ])('is another one with %s', (_what, changes) => {
    expect(validationTargetId({ ...RUN, ...changes })).not.toBe(validationTargetId(RUN));
  });
});

describe('scope_identity', () => {
  it('is a digest that shows no path, package, feature or filter', () => {
    const secretive = { ...RUN, cwd: 'hidden-folder', scope: { package: 'hidden-package', filter: 'hidden_filter', features: ['hidden-feature'], targets: ['hidden-target'] } };
    expect(scopeIdentity(secretive)).toMatch(/^validation_scope:v1:[0-9a-f]{64}$/);
    expect(scopeIdentity(secretive)).not.toContain('hidden');
  });

  it.each<[string, Partial<ValidatorRun>]>([
    ['kind', { kind: 'check' }],
    ['tool', { tool: 'go_test' }],
    ['purpose', { purpose: 'validation' }],
    ['cwd', { cwd: 'core' }],
    ['package', { scope: { ...RUN.scope, package: 'core' } }],
    ['filter', { scope: { ...RUN.scope, filter: 'adds' } }],
    ['features', { scope: { ...RUN.scope, features: ['core'] } }],
    ['targets', { scope: { ...RUN.scope, targets: ['core'] } }],
    ['an empty filter, which is not an absent one', { scope: { ...RUN.scope, filter: '' } }],
  ])('differs by %s', (_what, changes) => {
    expect(scopeIdentity({ ...RUN, ...changes })).not.toBe(scopeIdentity(RUN));
  });

  it('takes no two lists for the same by running their texts together', () => {
    const scopes: readonly ValidatorRun['scope'][] = [
      { package: 'ab', filter: 'c', features: [], targets: [] },
      { package: 'a', filter: 'bc', features: [], targets: [] },
      { package: null, filter: null, features: ['a', 'b'], targets: [] },
      { package: null, filter: null, features: ['ab'], targets: [] },
      { package: null, filter: null, features: ['a'], targets: ['b'] },
      { package: null, filter: null, features: [], targets: ['a', 'b'] },
      { package: null, filter: null, features: ['1:a1:b'], targets: [] },
    ];
    expect(new Set(scopes.map((scope) => scopeIdentity({ ...RUN, scope }))).size).toBe(scopes.length);
  });
});

describe('canonical forms', () => {
  it.each([
    [null, '.'],
    ['', '.'],
    ['  ', '.'],
    ['.', '.'],
    ['./', '.'],
    ['./core/', 'core'],
    ['.//./core//', 'core'],
    [' core ', 'core'],
    ['../core', '../core'],
    ['.core', '.core'],
  ])('the folder %j is %j', (given, canonical) => {
    expect(canonicalFolder(given)).toBe(canonical);
  });

  it('a blank name is none; names are a sorted set', () => {
    expect([canonicalName(' '), canonicalName(undefined), canonicalName(' a ')]).toEqual([null, null, 'a']);
    expect(canonicalNames([' b', 'a', 'b ', '', 'B'])).toEqual(['B', 'a', 'b']);
  });
});
