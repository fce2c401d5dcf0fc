import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDaemon } from '../../../src/client/doctor/check-daemon.js';
import { compare } from '../../../src/client/doctor/check-path.js';
import { locateState } from '../../../src/client/state.js';
import { bindingProblem } from '../../../src/protocol/sqlite-binding.js';
import { HEALTHY } from '../fake-daemon.js';

describe('the PATH of the terminal and that of the login shell', () => {
  it('differ by folders that exist here and are not there, through any links', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wc-path-'));
    try {
      for (const name of ['a', 'b']) mkdirSync(join(folder, name));
      symlinkSync('a', join(folder, 'linked'));
      const [a, b, linked] = ['a', 'b', 'linked'].map((name) => join(folder, name));
      expect(compare(`${linked}:relative:/no/such:${a}`, `/usr/bin:${a}`, '/bin/sh').status).toBe('ok');
      const found = compare(`${a}:${b}:${b}`, `${linked}`, '/bin/zsh');
      expect([found.status, found.detail]).toEqual(['warning', `this terminal has ${b} on PATH, and /bin/zsh as a login shell has not: commands of MCP clients do not find what is there`]);
      expect(found.fix).toContain('runner.path_prepend');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a daemon that answers', () => {
  it('is named with its Runner, and with what to do about other versions', () => {
    const state = locateState({ WC_HOME: '/nowhere' });
    const of = (health: object) => checkDaemon(state, { ...HEALTHY, ...health }).map(({ check, status }) => `${check} ${status}`);
    const runner = { pid: 7, instance_id: 'r', version: HEALTHY.version };
    expect(of({ runner })).toEqual(['lock ok', 'socket ok', 'daemon ok', 'runner ok']);
    expect(of({ version: '0.0.1', runner: { ...runner, version: '0.0.1' } })).toEqual(['lock ok', 'socket ok', 'daemon warning', 'runner warning']);
    expect(of({ runner: null })).toEqual(['lock ok', 'socket ok', 'daemon ok', 'runner broken']);
    expect(of({ runner, stores: { ledger: 'disk full', audit: 'database is locked' } }).slice(4)).toEqual(['ledger broken', 'audit warning']);
    expect(of({ runner, stores: { ledger: null, audit: null } }).slice(4)).toEqual(['ledger ok', 'audit ok']);
  });
});

describe('the native part of SQLite', () => {
  it('is told apart from any other fault by the error that the library gives', () => {
    const missing = bindingProblem(new Error('Could not locate the bindings file. Tried:\n → /x/build/better_sqlite3.node'));
    expect(missing?.fix).toContain('npm install -g --allow-scripts=better-sqlite3 webcodex');
    const older = Object.assign(new Error("The module '/x.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 108."), { code: 'ERR_DLOPEN_FAILED' });
    expect(bindingProblem(older)?.what).toContain('it was made for module version 108');
    expect(bindingProblem(new Error('SQLITE_FULL'))).toBeNull();
    expect(bindingProblem(undefined)).toBeNull();
  });
});
