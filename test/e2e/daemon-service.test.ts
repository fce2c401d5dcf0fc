import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemdUnit } from '../../src/client/service/systemd-unit.js';
import type { CliPlace, Ended } from './cli.js';
import { cliPlace } from './cli.js';

/**
 * Stands in for systemd, which runs in few places where tests do: it writes down what it was
 * told, and `start` runs the unit's own command line with the unit's own environment.
 */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >> "$HOME/calls"
unit="$HOME/.config/systemd/user/webcodex.service"
if [ "$2" = start ]; then
  eval "env -i PATH=/usr/bin:/bin HOME='$HOME' $(sed -n 's/^Environment=//p' "$unit") $(sed -n 's/^ExecStart=//p' "$unit") >/dev/null 2>&1 &"
fi
`;

let place: CliPlace;
let home: string;
let env: NodeJS.ProcessEnv;

beforeAll(() => {
  place = cliPlace();
  home = join(place.folder, 'my home');
  mkdirSync(join(home, 'bin'), { recursive: true });
  writeFileSync(join(home, 'bin', 'loginctl'), '#!/bin/sh\necho Linger=no\n', { mode: 0o755 });
  // The state folder comes from a variable that no service would see.
  env = { HOME: home, WC_HOME: '', XDG_STATE_HOME: join(place.folder, 'xdg state'), XDG_CONFIG_HOME: '', PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}` };
});
afterAll(() => {
  place.wc(['daemon', 'stop'], { env });
  place.close();
});

const wc = (...args: string[]): Ended => place.wc(args, { env });
const unitFile = (): string => join(home, '.config', 'systemd', 'user', 'webcodex.service');

describe('wc daemon install', () => {
  it('prints a unit that systemd reads, whatever is in the paths', () => {
    const unit = systemdUnit({ node: process.execPath, cli: '/opt/a "b" 100% $HOME\\c.cjs', stateFolder: '/s/100% "x"' });
    expect(unit).toContain(String.raw`"/opt/a \"b\" 100%% $$HOME\\c.cjs" daemon run`);
    expect(unit).toContain(String.raw`Environment="WC_HOME=/s/100%% \"x\""`);
    expect(wc('daemon', 'install', '--print').out).toContain('\nKillMode=process\n');
    const file = join(place.folder, 'webcodex.service');
    writeFileSync(file, unit);
    const verified = spawnSync('systemd-analyze', ['--user', 'verify', file], { env: { ...process.env, XDG_RUNTIME_DIR: place.folder }, encoding: 'utf8' });
    // Without the program there is nobody to ask.
    expect(verified.error === undefined ? verified.stderr : '').toBe('');
  });

  it('says where there is no systemd, and what to do there', () => {
    writeFileSync(join(home, 'bin', 'systemctl'), '#!/bin/sh\necho "Failed to connect to bus" >&2\nexit 1\n', { mode: 0o755 });
    expect(wc('daemon', 'install')).toEqual({
      code: 1,
      out: '',
      err: 'wc: There is no systemd of this user here (`systemctl --user show --property=Version` failed: Failed to connect to bus). Any command starts the daemon when none runs; for another service manager, `wc daemon install --print` shows what is to be run.\n',
    });
    expect(existsSync(unitFile())).toBe(false);
  });

  it('starts a daemon that a terminal with other variables finds; the same again changes nothing; a unit of others is left', () => {
    writeFileSync(join(home, 'bin', 'systemctl'), SYSTEMCTL, { mode: 0o755 });
    const installed = wc('daemon', 'install');
    expect([installed.code, installed.err]).toEqual([0, '']);
    expect(installed.out).toBe(`Written: ${unitFile()}\nThe daemon runs as a service.\nIt ends with your last login; \`loginctl enable-linger\` lets it go on.\n`);
    const status = JSON.parse(wc('daemon', 'status', '--json').out) as { running: boolean; socket: string; pid: number };
    expect([status.running, status.socket]).toEqual([true, join(place.folder, 'xdg state', 'webcodex', 'daemon.sock')]);
    const again = JSON.parse(wc('daemon', 'install', '--json').out) as object;
    expect(again).toEqual({ file: unitFile(), written: false, started: false, lingers: false });
    expect(readFileSync(join(home, 'calls'), 'utf8').trim().split('\n')).toEqual(
      ['show --property=Version', 'daemon-reload', 'enable webcodex.service', 'start webcodex.service', 'show --property=Version', 'enable webcodex.service'].map((call) => `--user ${call}`),
    );
    expect(wc('daemon', 'uninstall').out).toContain('A daemon that runs goes on');
    expect(existsSync(unitFile())).toBe(false);
    expect((JSON.parse(wc('daemon', 'status', '--json').out) as { pid: number }).pid).toBe(status.pid);
    writeFileSync(unitFile(), '[Unit]\n');
    expect(wc('daemon', 'install').err).toContain('was not written by wc');
    expect(wc('daemon', 'uninstall').code).toBe(1);
  });
});
