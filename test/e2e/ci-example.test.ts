import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CliPlace } from './cli.js';
import { cliPlace, gitRepository, WC } from './cli.js';

/** The script of docs/ci.md, as it stands there. */
const SCRIPT = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'ci.md'), 'utf8'))?.[1] ?? '';

let place: CliPlace;

beforeAll(() => {
  place = cliPlace();
});
afterAll(() => {
  place.close();
});

it.each([
  ['without HOME, in a workspace that its group may write', {}, '', 0],
  ['with a HOME that can not be written, and a test that fails', { HOME: '/proc' }, "throw new Error('no')", 1],
] as const)('the example of docs/ci.md runs %s', (_how, home, body, code) => {
  const app = gitRepository(place, `app-${code}`);
  const [artifacts, temporary] = ['artifacts', 'tmp'].map((name) => join(place.folder, `${name}-${code}`));
  for (const folder of [join(app, 'test'), artifacts ?? '', temporary ?? '']) mkdirSync(folder, { mode: 0o775 });
  writeFileSync(join(app, 'package.json'), '{ "type": "module", "scripts": { "test": "node --test" } }');
  writeFileSync(join(app, 'test', 'a.test.js'), `import test from 'node:test';\ntest('adds', () => { ${body} });\n`);
  const env = { PATH: `${dirname(WC)}:${dirname(process.execPath)}:/usr/bin:/bin`, WC_ARTIFACTS: artifacts, TMPDIR: temporary, ...home };
  const ended = spawnSync('/bin/sh', ['-c', `umask 002\n${SCRIPT}`], { cwd: app, env, encoding: 'utf8' });
  expect(ended.stdout).toContain(code === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
  expect(ended.status, ended.stderr).toBe(code);
  const ledger = readFileSync(join(artifacts ?? '', 'ledger.json'), 'utf8');
  expect(ledger).toContain('"tool_call_finished"');
  expect(existsSync(join(artifacts ?? '', 'ledger.json.chain'))).toBe(true);
  expect(ended.stdout).toMatch(/The daemon \(pid \d+\) has stopped\.\n$/);
});
