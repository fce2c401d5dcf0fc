import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SSH_TRANSPORTS } from '../../../src/protocol/runner/ssh.js';
import { runnerSettingsSchema } from '../../../src/protocol/runner/settings.js';
import { isRefusal } from '../../../src/runner/request.js';
import { hostKeyAlgorithms, hostKeyVerdict, type KnownHostKey } from '../../../src/runner/ssh/host-key-verdict.js';
import { executionHouse, refused, type ExecutionHouse } from '../jobs/execution-house.js';
import { startSshServer, type Resource, type SshServer } from './ssh-server.js';

let server: SshServer;
let house: ExecutionHouse;
let usual: string;

beforeAll(async () => {
  server = await startSshServer();
  process.env['PATH'] = `${server.bin}${delimiter}${process.env['PATH'] ?? ''}`;
  process.env['HOME'] = server.home;
  usual = readFileSync(server.knownHosts, 'utf8');
  house = await executionHouse();
});
afterEach(() => writeFileSync(server.knownHosts, usual));
afterAll(async () => {
  await house.close();
  expect(house.faults).toEqual([]);
  await server.stop();
});

/** What comes of a command: nothing when it ran, else why there is no connection. Every try is a handshake of its own. */
let tries = 0;
async function outcome(resource: Resource): Promise<unknown> {
  tries += 1;
  house.execution.settings.replace(runnerSettingsSchema.parse({ ssh: { resources: { box: resource } } }));
  const answer = await house.start({
    program: { kind: 'shell', command: 'true', shell: null },
    source: 'run_shell',
    session_id: `s${tries}`,
    remote: { resource: 'box', cwd: null },
  });
  if (!isRefusal(answer)) return 'ran';
  expect(refused(answer)).toMatchObject({ error_kind: 'ssh_connection_failed', detail: { execution_state: 'not_started', state_changed: false } });
  return refused(answer).detail['reason_code'];
}

describe.each(SSH_TRANSPORTS)('the key of a host, over %s,', (transport) => {
  it('is taken when it is known, in whatever form its line has, and never else', async () => {
    const [type = '', key = ''] = server.hostKey.split(' ');
    const name = `[127.0.0.1]:${server.port}`;
    const another = readFileSync(`${server.keyFile}.pub`, 'utf8').split(' ')[1] ?? '';
    const known = async (...lines: string[]): Promise<unknown> => {
      writeFileSync(server.knownHosts, `${lines.join('\n')}\n`);
      return outcome(server.resource(transport));
    };
    expect(await known('# nothing')).toBe('host_key_unknown');
    expect(await known(`127.0.0.1 ${type} ${another}`, `elsewhere ${type} ${key}`)).toBe('host_key_unknown');
    expect(await known(`!${name},[127.*]:${server.port} ${type} ${key}`)).toBe('host_key_unknown');
    expect(await known(`@cert-authority ${name} ${type} ${key}`)).toBe('host_key_unknown');
    expect(await known(`${name} ${type} ${another}`)).toBe('host_key_changed');
    expect(await known(`${name} ${type} ${another}`, `other,${name} ${type} ${key} with words`)).toBe('ran');
    expect(await known(`@revoked * ${type} ${key}`, `${name} ${type} ${key}`)).toBe('host_key_revoked');
    expect(await known(`@revoked * ${type} ${another}`, `*.0.0.?,[127.*]:${server.port} ${type} ${key}`)).toBe('ran');
    writeFileSync(server.knownHosts, usual);
    execFileSync('ssh-keygen', ['-H', '-f', server.knownHosts], { stdio: 'ignore' });
    expect(readFileSync(server.knownHosts, 'utf8')).not.toContain('127.0.0.1');
    expect(await outcome(server.resource(transport))).toBe('ran');
  });
});

describe('a key of the user, over ssh2,', () => {
  it('is one that can be used without a question, or the connection does not come to be', async () => {
    const resource = server.resource('ssh2');
    expect(await outcome({ ...resource, identity_file: `${server.keyFile}.none` } as Resource)).toBe('identity_unusable');
    expect(await outcome({ ...resource, identity_file: `${server.keyFile}.pub` } as Resource)).toBe('identity_unusable');
    const locked = `${server.keyFile}-locked`;
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'a phrase', '-C', '', '-f', locked]);
    expect(await outcome({ ...resource, identity_file: locked } as Resource)).toBe('identity_unusable');
    chmodSync(server.keyFile, 0o640);
    expect(await outcome(resource)).toBe('identity_unusable');
    chmodSync(server.keyFile, 0o600);
    expect(await outcome(resource)).toBe('ran');
  });

  it('is the agent’s when none is named, and there is one', async () => {
    const { identity_file: _, ...without } = server.resource('ssh2') as Extract<Resource, { transport: 'ssh2' }>;
    expect(await outcome(without)).toBe('identity_unusable');
    const started = execFileSync('ssh-agent', ['-s'], { encoding: 'utf8' });
    const [socket = '', pid = ''] = ['SSH_AUTH_SOCK', 'SSH_AGENT_PID'].map((name) => new RegExp(`${name}=([^;]+);`).exec(started)?.[1] ?? '');
    try {
      execFileSync('ssh-add', ['-q', server.keyFile], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      process.env['SSH_AUTH_SOCK'] = socket;
      const withAgent = await executionHouse();
      withAgent.execution.settings.replace(runnerSettingsSchema.parse({ ssh: { resources: { box: without } } }));
      const answer = await withAgent.start({ program: { kind: 'shell', command: 'echo in', shell: null }, source: 'run_shell', session_id: 's', remote: { resource: 'box', cwd: null } });
      expect(answer).toMatchObject({ outcome: 'finished', report: { exit_code: 0 } });
      await withAgent.close();
    } finally {
      delete process.env['SSH_AUTH_SOCK'];
      process.kill(Number(pid));
    }
  });
});

describe('what the known hosts say', () => {
  const wire = (type: string, body: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, type.length]), Buffer.from(type), Buffer.from(body)]);
  const line = (type: string, body: string, revoked = false): KnownHostKey => ({ type, key: wire(type, body), revoked });

  it('is told of the very key, then of its type', () => {
    const ed = line('ssh-ed25519', 'one');
    expect(hostKeyVerdict([ed], ed.key)).toBe('trusted');
    expect(hostKeyVerdict([ed], wire('ssh-ed25519', 'two'))).toBe('host_key_changed');
    expect(hostKeyVerdict([ed], wire('ecdsa-sha2-nistp256', 'one'))).toBe('host_key_unknown');
    expect(hostKeyVerdict([ed, { ...ed, revoked: true }], ed.key)).toBe('host_key_revoked');
    expect(hostKeyVerdict([line('ssh-ed25519', 'old', true)], ed.key)).toBe('host_key_unknown');
    expect(hostKeyVerdict([], Buffer.from([0, 0]))).toBe('host_key_unknown');
  });

  it('puts the algorithms in front that it can check, and none with SHA-1', () => {
    expect(hostKeyAlgorithms([line('ssh-rsa', 'r')]).slice(0, 3)).toEqual(['rsa-sha2-512', 'rsa-sha2-256', 'ssh-ed25519']);
    expect(hostKeyAlgorithms([line('ecdsa-sha2-nistp384', 'e'), line('ssh-ed25519', 'x', true)])[0]).toBe('ecdsa-sha2-nistp384');
    expect(hostKeyAlgorithms([line('ssh-rsa', 'r')])).not.toContain('ssh-rsa');
    expect(hostKeyAlgorithms([])).toHaveLength(6);
  });
});
