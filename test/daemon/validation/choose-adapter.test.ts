import { describe, expect, it } from 'vitest';
import { nodeAdapter } from '../../../src/daemon/validation/adapters/node/index.js';
import { pythonAdapter } from '../../../src/daemon/validation/adapters/python/index.js';
import { planByAdapter } from '../../../src/daemon/validation/choose-adapter.js';
import { probeOf, requestFor } from './probe-of.js';

const ADAPTERS = [pythonAdapter, nodeAdapter];
const NODE_TEST = JSON.stringify({ scripts: { test: 'node --test' } });

describe('which toolchain is meant', () => {
  it('is the one whose marker stands at the root', async () => {
    expect(await planByAdapter(ADAPTERS, 'auto', requestFor('test'), probeOf({ 'package.json': NODE_TEST }))).toMatchObject({ adapter: 'node' });
    expect(await planByAdapter(ADAPTERS, 'auto', requestFor('test'), probeOf({ 'pytest.ini': '' }))).toMatchObject({ adapter: 'python' });
  });

  it('is the one of the package that is asked about, where the root says nothing', async () => {
    const probe = probeOf({ 'web/package.json': NODE_TEST });
    expect(await planByAdapter(ADAPTERS, 'auto', requestFor('test', { scope: { packages: ['web'] } }), probe)).toMatchObject({ adapter: 'node', cwd: 'web' });
  });

  it('is never guessed: several that can do it are named', async () => {
    const probe = probeOf({ 'package.json': NODE_TEST, 'pyproject.toml': '' });
    expect(await planByAdapter(ADAPTERS, 'auto', requestFor('test'), probe)).toMatchObject({
      failure: {
        error: 'This project can be validated with python and node; name the adapter that is meant.',
        output: { error_kind: 'validation_scope_unavailable', reason_code: 'ambiguous_adapter', candidates: ['python', 'node'] },
      },
    });
    expect(await planByAdapter(ADAPTERS, 'node', requestFor('test'), probe)).toMatchObject({ adapter: 'node' });
  });

  it('leaves out one that can not do what is asked for', async () => {
    const tools = { 'package.json': '{"devDependencies":{"prettier":"3"}}', 'node_modules/.bin/prettier': '', 'pyproject.toml': '' };
    expect(await planByAdapter(ADAPTERS, 'auto', requestFor('test'), probeOf(tools))).toMatchObject({ adapter: 'python' });
    expect(await planByAdapter(ADAPTERS, 'auto', requestFor('format_check'), probeOf(tools))).toMatchObject({ adapter: 'node' });
  });

  it('says what there is when nothing is marked', async () => {
    expect(await planByAdapter(ADAPTERS, 'auto', requestFor('test'), probeOf({ Makefile: '' }))).toMatchObject({
      failure: { output: { error_kind: 'capability_unavailable', reason_code: 'no_known_toolchain', candidates: ['python', 'node'] } },
    });
  });
});
