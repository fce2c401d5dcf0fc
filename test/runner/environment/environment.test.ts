import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childEnvironment } from '../../../src/runner/environment/child-environment.js';
import { ChildEnvironments } from '../../../src/runner/environment/index.js';
import { parseShellAnswer, shellQuestion } from '../../../src/runner/environment/login-shell.js';
import { noninteractive } from '../../../src/runner/environment/noninteractive.js';
import { isProductToken } from '../../../src/runner/environment/product-tokens.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wc-shell-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A login shell of a user: a real program, called as one. */
async function loginShell(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

const user = (shell: string): { username: string; homedir: string; shell: string } => ({ username: 'ann', homedir: folder, shell });
const inherited = { PATH: '/of/the/runner', WC_TOKEN: 'secret', SSH_AUTH_SOCK: '/agent', STARTED_BY: 'an editor' };

describe("the user's login environment", () => {
  it('comes from the login shell, not from whoever started the Runner', async () => {
    const shell = await loginShell('good', 'echo "welcome back"; export PATH=/of/the/user FROM_RC="two\nlines"; umask 027; eval "$4"');
    const environments = new ChildEnvironments({ from: 'login', noninteractive: true, inherited, user: user(shell) });
    const base = await environments.base();
    expect(base).toMatchObject({ source: 'login', shell, failure: null, umask: 0o027 });
    expect(base.variables).toMatchObject({ PATH: '/of/the/user', FROM_RC: 'two\nlines', SSH_AUTH_SOCK: '/agent', HOME: folder, USER: 'ann', SHELL: shell });
    expect(Object.keys(base.variables)).not.toEqual(expect.arrayContaining(['STARTED_BY']));
    expect(Object.keys(base.variables).filter((name) => ['WC_RESOLVING_ENVIRONMENT', 'SHLVL', '_', 'PWD'].includes(name))).toEqual([]);
  });

  it('is asked once', async () => {
    const shell = await loginShell('counting', `echo asked >>${folder}/asked; eval "$4"`);
    const environments = new ChildEnvironments({ from: 'login', noninteractive: true, inherited, user: user(shell) });
    const [one, two] = await Promise.all([environments.base(), environments.base()]);
    expect(one).toBe(two);
    const { readFile } = await import('node:fs/promises');
    expect(await readFile(join(folder, 'asked'), 'utf8')).toBe('asked\n');
  });

  it('a shell that hangs costs its bound, and the result says what is used instead', async () => {
    const shell = await loginShell('hanging', 'sleep 60');
    const environments = new ChildEnvironments({ from: 'login', noninteractive: true, inherited, user: user(shell), askWithinMs: 200 });
    const base = await environments.base();
    expect(base).toMatchObject({ source: 'inherit_after_failure', failure: `${shell} did not answer within 200 ms` });
    expect((await environments.forChild(null, {}))['PATH']).toBe('/of/the/runner');
  });

  it('a shell that is none is told', async () => {
    const missing = join(folder, 'missing');
    const environments = new ChildEnvironments({ from: 'login', noninteractive: true, inherited, user: user(missing) });
    expect((await environments.base()).failure).toContain(`${missing} could not be started`);
    const mute = await loginShell('nologin', 'echo "This account is currently not available."; exit 1');
    const nologin = new ChildEnvironments({ from: 'login', noninteractive: true, inherited, user: user(mute) });
    expect((await nologin.base()).failure).toBe(`${mute} ended without an answer`);
  });

  it('what a start file leaves in the background delays nothing', async () => {
    const shell = await loginShell('leaving', 'sleep 60 & eval "$4"');
    const environments = new ChildEnvironments({ from: 'login', noninteractive: true, inherited, user: user(shell) });
    const startedAt = performance.now();
    expect((await environments.base()).source).toBe('login');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('a question is put as each shell takes it', () => {
    expect(shellQuestion('/bin/zsh', 'm').args.slice(0, 3)).toEqual(['-i', '-l', '-c']);
    expect(shellQuestion('/bin/tcsh', 'm').args.slice(0, 2)).toEqual(['-i', '-c']);
  });

  it('an answer without a PATH is none', () => {
    expect(parseShellAnswer('noise m\n0022\nA=1\0m\n', 'm')).toBeNull();
    expect(parseShellAnswer('m\nno umask here\nPATH=/bin\0m\n', 'm')).toEqual({ environment: { PATH: '/bin' }, umask: null });
    expect(parseShellAnswer('nothing', 'm')).toBeNull();
  });
});

describe("a child's environment", () => {
  it('[00-D29] keeps every program from asking', () => {
    const env = childEnvironment({
      base: { PATH: '/bin', GIT_ASKPASS: '/x', EDITOR: 'vi' },
      caller: { SSH_ASKPASS: '/y', VISUAL: 'emacs' },
      noninteractive: noninteractive('/bin/false'),
      own: {},
    });
    expect(env).toEqual({ PATH: '/bin', GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: '/bin/false', EDITOR: '/bin/false', VISUAL: '/bin/false', SSH_ASKPASS_REQUIRE: 'never' });
  });

  it('leaves the editor alone when children may ask', () => {
    expect(childEnvironment({ base: { EDITOR: 'vi' }, caller: null, noninteractive: null, own: {} })).toEqual({ EDITOR: 'vi' });
  });

  it('has no token of ours, whoever sent it, and nothing that the system cannot carry', () => {
    const caller = { WC_TOKEN: 'a', WC_API_TOKEN: 'b', webcodex_secret: 'c', Authorization: 'd', 'A=B': 'e', '': 'f', NUL: 'g\0', WC_SESSION: '~s1', TOKEN: 'theirs' };
    expect(childEnvironment({ base: {}, caller, noninteractive: null, own: {} })).toEqual({ WC_SESSION: '~s1', TOKEN: 'theirs' });
    expect(['WC_TOKENS_FILE', 'WC_HOME', 'GITHUB_TOKEN', 'WEBCODEX_AUTHORIZATION'].map(isProductToken)).toEqual([false, false, false, true]);
  });
});
