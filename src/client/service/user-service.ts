import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { UNIT_MARK, UNIT_NAME } from './systemd-unit.js';

/** How long systemd may take to answer, in milliseconds. */
const WITHIN_MS = 60_000;

type Variables = Readonly<Record<string, string | undefined>>;

/** Why the service is left as it is: one sentence, and what to do instead. */
export class ServiceRefused extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
    this.name = 'ServiceRefused';
  }
}

export interface ServiceInputs {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Variables;
}

/** The daemon as a service of the user's systemd. */
export class UserService {
  /** Where the unit is, or would be. */
  readonly path: string;

  constructor(private readonly inputs: ServiceInputs) {
    const { env, home } = inputs;
    this.path = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd', 'user', UNIT_NAME);
  }

  /** The unit that is there, or null. */
  async installed(): Promise<string | null> {
    return readFile(this.path, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw new ServiceRefused(`${this.path} can not be read: ${(error as Error).message}.`, 'Look at what is there.');
    });
  }

  /** Throws ServiceRefused where no systemd of this user answers. */
  async refuseWithoutSystemd(): Promise<void> {
    try {
      await this.systemctl('show', '--property=Version');
    } catch (error) {
      const why = this.inputs.platform === 'linux' ? ` (${error instanceof ServiceRefused ? error.message : String(error)})` : '';
      throw new ServiceRefused(
        `There is no systemd of this user here${why}.`,
        'Any command starts the daemon when none runs; for another service manager, `wc daemon install --print` shows what is to be run.',
      );
    }
  }

  /** Writes the unit and has it started with the user's session; false where it was there already. */
  async write(unit: string): Promise<boolean> {
    const there = await this.installed();
    if (there !== null && !there.startsWith(UNIT_MARK)) {
      throw new ServiceRefused(`${this.path} was not written by wc.`, 'Move it away first.');
    }
    if (there !== unit) {
      await mkdir(dirname(this.path), { recursive: true });
      await writeFile(`${this.path}.new`, unit, { mode: 0o644 });
      await rename(`${this.path}.new`, this.path);
      await this.systemctl('daemon-reload');
    }
    await this.systemctl('enable', UNIT_NAME);
    return there !== unit;
  }

  async start(): Promise<void> {
    await this.systemctl('start', UNIT_NAME);
  }

  /** Takes the unit away, and leaves a daemon that runs as it is; false where there was none. */
  async remove(): Promise<boolean> {
    const there = await this.installed();
    if (there === null) return false;
    if (!there.startsWith(UNIT_MARK)) throw new ServiceRefused(`${this.path} was not written by wc.`, 'Remove it by hand.');
    await this.systemctl('disable', UNIT_NAME);
    await rm(this.path, { force: true });
    await this.systemctl('daemon-reload');
    return true;
  }

  /** Whether the user's services go on without a login; null where nobody says. */
  async lingers(): Promise<boolean | null> {
    try {
      return /^Linger=yes/m.test(await this.run('loginctl', ['show-user', String(process.getuid?.() ?? ''), '--property=Linger']));
    } catch {
      // Not logged in through it, as over some SSH servers.
      return null;
    }
  }

  private systemctl(...args: string[]): Promise<string> {
    return this.run('systemctl', ['--user', ...args]);
  }

  private async run(program: string, args: readonly string[]): Promise<string> {
    try {
      const { stdout } = await promisify(execFile)(program, args, { env: this.inputs.env, timeout: WITHIN_MS, encoding: 'utf8' });
      return stdout;
    } catch (error) {
      const { stderr = '', message } = error as { stderr?: string; message: string };
      throw new ServiceRefused(`\`${[program, ...args].join(' ')}\` failed: ${stderr.trim().split('\n').at(-1) || message}`, `See \`systemctl --user status ${UNIT_NAME}\`.`);
    }
  }
}
