import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPrincipals, principalsSchema, type Principals } from '../../../src/daemon/principals/index.js';
import { authorityFingerprint } from '../../../src/daemon/principals/authority-fingerprint.js';
import { CommitQueue } from '../../../src/daemon/storage/commit-queue.js';
import { openDatabase } from '../../../src/daemon/storage/open-database.js';
import { LOCAL_OWNER_SCOPES, MCP_SHIM_SCOPES } from '../../../src/protocol/scopes.js';
import type { Principal } from '../../../src/daemon/kernel/principal.js';

let folder: string;
let now: number;
let house: ReturnType<typeof open>;

function open(ownerUid = 1000) {
  const database = openDatabase(join(folder, 'ledger.db'), [principalsSchema]);
  const commits = new CommitQueue(database);
  const principals = createPrincipals({ database, commits, now: () => now, randomBytes, ownerUid });
  return { database, principals };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-principals-'));
  now = 1_700_000_000;
  house = open();
});
afterEach(() => house.database.close());

function admit(principals: Principals, token?: string, adapter: 'cli' | 'mcp_2026' = 'cli'): Principal | 'invalid_token' {
  const admission = principals.admit({
    authorizationHeader: token === undefined ? null : `Bearer ${token}`,
    adapter,
    listener: 'socket',
  });
  return 'refused' in admission ? admission.refused : admission.principal;
}

function owner(principals = house.principals): Principal {
  const principal = admit(principals);
  if (principal === 'invalid_token') throw new Error('the owner is admitted');
  return principal;
}

async function post(path: string, body: unknown, principal = owner()): Promise<{ status: number; body: Record<string, unknown> }> {
  const route = house.principals.routes.find((one) => one.path === path);
  if (route === undefined) throw new Error(`no route ${path}`);
  const answer = await route.handle(body, principal);
  return { status: answer.status, body: JSON.parse(JSON.stringify(answer.body)) as Record<string, unknown> };
}

async function createToken(name: string, scopes: string[] = ['runtime:read'], more: object = {}): Promise<string> {
  const { status, body } = await post('/api/tokens/create', { name, scopes, ...more });
  expect(status).toBe(200);
  return body['token'] as string;
}

describe('the owner of the socket', () => {
  it('is the state folder’s uid, with the authority group of the local owner', () => {
    const principal = owner();
    expect(principal).toMatchObject({
      credential: 'local_owner',
      userId: 'uid:1000',
      oauthClientId: null,
      authority: { kind: 'local-owner', stableId: 'uid:1000' },
      principalKey: 'local-owner:uid:1000',
    });
    expect([...principal.scopes].sort()).toEqual([...LOCAL_OWNER_SCOPES].sort());
    expect(principal.scopes.has('admin')).toBe(false);
  });

  it('is the same principal through the MCP shim, with fewer scopes', () => {
    const shim = admit(house.principals, undefined, 'mcp_2026') as Principal;
    expect(shim.fingerprint).toBe(owner().fingerprint);
    expect(shim.principalKey).toBe(owner().principalKey);
    expect([...shim.scopes].sort()).toEqual([...MCP_SHIM_SCOPES].sort());
    expect(shim.scopes.has('account:manage')).toBe(false);
  });

  it('stays the same after a restart', () => {
    const before = owner().fingerprint;
    house.database.close();
    house = open();
    expect(owner().fingerprint).toBe(before);
  });

  it('is nobody on a TCP listener without a token', () => {
    expect(house.principals.admit({ authorizationHeader: null, adapter: 'http', listener: 'tcp' })).toEqual({
      refused: 'invalid_token',
    });
  });
});

describe('the authority fingerprint', () => {
  it('is the SHA-256 of its recipe', () => {
    // printf 'webcodex.workflow-session-authority.v1\0local-owner\0uid:1000' | sha256sum
    expect(authorityFingerprint({ kind: 'local-owner', stableId: 'uid:1000' })).toBe(
      'c02396bc89317190f49d19f1d5a880ea454f2c4e2ce20339477e33fa113ba381',
    );
  });

  it('tells kinds apart', () => {
    expect(authorityFingerprint({ kind: 'managed-user', stableId: 'uid:1000' })).not.toBe(owner().fingerprint);
  });
});

describe('a named token', () => {
  it('is shown once and admits the managed user with its scopes', async () => {
    const token = await createToken('ci', ['project:read', 'runtime:read', 'project:read']);
    expect(token).toMatch(/^wc_pat_[A-Za-z0-9_-]{43}$/);
    const principal = admit(house.principals, token) as Principal;
    expect(principal).toMatchObject({
      credential: 'api_token',
      userId: 'ci',
      authority: { kind: 'managed-user', stableId: 'ci' },
      principalKey: 'managed-user:ci',
    });
    expect([...principal.scopes]).toEqual(['project:read', 'runtime:read']);
    expect(admit(house.principals, token, 'mcp_2026')).toEqual(principal);
  });

  it('is never on disk in clear, nor in a listing', async () => {
    const token = await createToken('ci');
    const secret = token.slice('wc_pat_'.length);
    const files = await readdir(folder);
    expect(files).toContain('ledger.db-wal');
    for (const file of files) {
      const bytes = await readFile(join(folder, file));
      expect(bytes.includes(secret)).toBe(false);
      expect(bytes.includes(Buffer.from(secret, 'base64url'))).toBe(false);
    }
    const listed = await post('/api/tokens/list', {});
    expect(JSON.stringify(listed)).not.toContain(secret);
    expect(listed.body).toEqual({
      tokens: [
        {
          name: 'ci',
          scopes: ['runtime:read'],
          created_at: now,
          expires_at: null,
          revoked_at: null,
          state: 'in_force',
        },
      ],
    });
  });

  it('[07-A40] is refused once it is revoked and never falls back to the owner, also after a restart', async () => {
    const token = await createToken('ci');
    expect((await post('/api/tokens/revoke', { name: 'ci' })).body).toEqual({ name: 'ci', revoked: true, revoked_at: now });
    expect(admit(house.principals, token)).toBe('invalid_token');
    expect(owner().credential).toBe('local_owner');
    house.database.close();
    house = open();
    expect(admit(house.principals, token)).toBe('invalid_token');
    expect(owner().credential).toBe('local_owner');
  });

  it('is refused when it is wrong, malformed, of another scheme or expired', async () => {
    const token = await createToken('ci', ['runtime:read'], { expires_in_secs: 60 });
    expect(admit(house.principals, token)).not.toBe('invalid_token');
    expect(admit(house.principals, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe('invalid_token');
    expect(admit(house.principals, 'wc_pat_')).toBe('invalid_token');
    for (const header of ['Basic dXNlcjpwYXNz', 'Bearer', '', `Bearer ${token} extra`]) {
      expect(house.principals.admit({ authorizationHeader: header, adapter: 'cli', listener: 'socket' })).toEqual({
        refused: 'invalid_token',
      });
    }
    now += 60;
    expect(admit(house.principals, token)).toBe('invalid_token');
  });

  it('survives a restart, and a new secret of the same name is the same user', async () => {
    const first = await createToken('ci');
    const before = admit(house.principals, first) as Principal;
    house.database.close();
    house = open();
    expect((admit(house.principals, first) as Principal).fingerprint).toBe(before.fingerprint);
    await post('/api/tokens/revoke', { name: 'ci' });
    const second = await createToken('ci', ['project:read']);
    expect((admit(house.principals, second) as Principal).fingerprint).toBe(before.fingerprint);
    expect(admit(house.principals, first)).toBe('invalid_token');
  });

  it('keeps its name to itself while it is in force, and frees it when it expires', async () => {
    await createToken('ci', ['runtime:read'], { expires_in_secs: 60 });
    const taken = await post('/api/tokens/create', { name: 'ci', scopes: ['runtime:read'] });
    expect(taken).toMatchObject({ status: 409, body: { error: { kind: 'token_name_taken' } } });
    now += 60;
    await createToken('ci');
    const { tokens } = (await post('/api/tokens/list', {})).body as { tokens: { state: string }[] };
    expect(tokens.map(({ state }) => state)).toEqual(['revoked', 'in_force']);
  });

  it('is made once when two ask for one name at the same time', async () => {
    const answers = await Promise.all([1, 2].map(() => post('/api/tokens/create', { name: 'ci', scopes: ['runtime:read'] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('the token routes', () => {
  it('are for the owner at a terminal: neither a token nor the shim may use them', async () => {
    const all = await createToken('root', [...LOCAL_OWNER_SCOPES, 'admin']);
    for (const principal of [admit(house.principals, all), admit(house.principals, undefined, 'mcp_2026')]) {
      for (const path of ['/api/tokens/create', '/api/tokens/list', '/api/tokens/revoke']) {
        expect(await post(path, { name: 'x', scopes: ['admin'] }, principal as Principal)).toMatchObject({
          status: 403,
          body: { error: { kind: 'operator_only' } },
        });
      }
    }
  });

  it('refuse what is malformed, without an echo', async () => {
    const bad: unknown[] = [
      null,
      [],
      { name: 'ci' },
      { name: 'ci', scopes: [] },
      { name: 'ci', scopes: ['hunter2'] },
      { name: '-ci', scopes: ['admin'] },
      { name: 'a b', scopes: ['admin'] },
      { name: 'ci', scopes: ['admin'], more: 1 },
      { name: 'ci', scopes: ['admin'], expires_in_secs: 0 },
    ];
    for (const body of bad) {
      const answer = await post('/api/tokens/create', body);
      expect(answer).toMatchObject({ status: 400, body: { error: { kind: 'invalid_arguments' } } });
      expect(JSON.stringify(answer)).not.toContain('hunter2');
    }
    expect((await post('/api/tokens/list', {})).body).toEqual({ tokens: [] });
  });

  it('say when there is no such token', async () => {
    expect(await post('/api/tokens/revoke', { name: 'ci' })).toMatchObject({
      status: 404,
      body: { error: { kind: 'unknown_token' } },
    });
  });

  it('say so when the store cannot keep a token, and it admits nobody', async () => {
    house.database.pragma('query_only = ON');
    const answer = await post('/api/tokens/create', { name: 'ci', scopes: ['runtime:read'] });
    expect(answer).toMatchObject({ status: 503, body: { error: { kind: 'storage_unavailable' } } });
    house.database.pragma('query_only = OFF');
    expect((await post('/api/tokens/list', {})).body).toEqual({ tokens: [] });
    await createToken('ci');
  });
});
