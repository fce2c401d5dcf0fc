import { existsSync, mkdtempSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from 'better-sqlite3';
import pino from 'pino';
import { compose, LEDGER_SCHEMAS, type Composition } from '../../../src/daemon/compose.js';
import { readConfig, runnerSettings } from '../../../src/daemon/config.js';
import type { CallRequest } from '../../../src/daemon/kernel/call-request.js';
import { handleCall } from '../../../src/daemon/kernel/handle-call.js';
import { createRunnerLink, type RunnerLink } from '../../../src/daemon/runner-link/index.js';
import type { SessionEvent, SessionsDomain } from '../../../src/daemon/sessions/index.js';
import { openDatabase } from '../../../src/daemon/storage/open-database.js';
import type { SessionId } from '../../../src/protocol/ids.js';
import type { RunnerLaunch } from '../../../src/protocol/runner/launch.js';
import { statePaths } from '../../../src/protocol/state-folder.js';
import { VERSION } from '../../../src/protocol/version.js';
import { request } from '../kernel/kernel-fixture.js';

const MAIN = fileURLToPath(new URL('../../../dist/runner/main.js', import.meta.url));

export interface Result {
  readonly success: boolean;
  readonly error?: string;
  readonly output: Record<string, unknown>;
}

/** One life of the daemon over a state folder: the real composition over the real Runner. */
export interface DaemonLife {
  readonly link: RunnerLink;
  call(tool: string, args: Record<string, unknown>, changes?: Partial<CallRequest>): Promise<Result>;
  /** The output of a call that is expected to succeed. */
  output(tool: string, args: Record<string, unknown>, changes?: Partial<CallRequest>): Promise<Record<string, unknown>>;
  /** What the ledger keeps of a Session, oldest first. */
  events(session: string): readonly SessionEvent[];
  end(runner: 'leave' | 'shutdown'): Promise<void>;
}

/** A state folder and a project; daemons come and go. */
export class ShellsHouse {
  readonly state = mkdtempSync(join(tmpdir(), 'wc-shells-'));
  readonly projectPath = realpathSync(mkdtempSync(join(tmpdir(), 'wc-project-')));
  private readonly lives = new Set<DaemonLife>();

  constructor(private readonly runnerConfig: Readonly<Record<string, unknown>> = {}) {
    mkdirSync(join(this.state, 'spool'), { mode: 0o700 });
  }

  daemon(authorityMode?: string): DaemonLife {
    const configPath = join(this.state, 'config.json');
    if (!existsSync(configPath)) writeFileSync(configPath, JSON.stringify({ runner: { env: 'inherit', ...this.runnerConfig } }), { mode: 0o600 });
    const config = readConfig(configPath);
    const launch: RunnerLaunch = {
      state_folder: this.state,
      socket_path: join(this.state, 'runner.sock'),
      spool_folder: join(this.state, 'spool'),
      env: 'inherit',
      noninteractive: true,
      max_concurrent_jobs: 4,
      spool_max_bytes: 64 * 1024 * 1024,
    };
    const link = createRunnerLink({
      socketPath: launch.socket_path,
      daemon: { version: VERSION, stateFolder: this.state },
      launch: {
        execPath: process.execPath,
        args: [MAIN, JSON.stringify(launch)],
        env: { PATH: process.env['PATH'] ?? '', HOME: this.state },
        cwd: '/',
        logPath: join(this.state, 'runner.log'),
      },
      settings: runnerSettings(config),
      log: () => undefined,
    });
    link.start();
    const ledger: Database = openDatabase(join(this.state, 'ledger.db'), LEDGER_SCHEMAS);
    const composition: Composition = compose({
      ledger,
      auditPath: join(this.state, 'audit.db'),
      runner: link,
      config,
      configuration: { path: configPath, apply: (settings) => link.configure(settings) },
      log: pino({ enabled: false }),
      ownerUid: process.getuid?.() ?? 0,
      home: this.state,
      authorityMode,
      processStatus: { compact: () => ({}), full: () => ({}) },
      processNumbers: { startedAt: new Date(), callsInFlight: () => 0, paths: statePaths(this.state) },
    });
    const admission = composition.principals.admit({ authorizationHeader: null, adapter: 'http', listener: 'socket' });
    if ('refused' in admission) throw new Error('the owner is admitted');
    const call: DaemonLife['call'] = async (tool, args, changes = {}) => {
      const answer = await handleCall(composition.kernel, request(tool, args, { principal: admission.principal, ...changes }));
      return JSON.parse(answer.body) as Result;
    };
    const life: DaemonLife = {
      link,
      call,
      output: async (tool, args, changes) => {
        const result = await call(tool, args, changes);
        if (!result.success) throw new Error(`${tool}: ${JSON.stringify(result)}`);
        return result.output;
      },
      events: (session) => {
        const sessions = composition.domains.find(({ name }) => name === 'sessions') as SessionsDomain;
        return sessions.snapshot(session as SessionId)?.events ?? [];
      },
      end: async (runner) => {
        this.lives.delete(life);
        await link.stop(runner);
        for (const domain of composition.domains) await domain.close?.();
        composition.commits.flush();
        ledger.close();
      },
    };
    this.lives.add(life);
    return life;
  }

  async close(): Promise<void> {
    const [last, ...others] = [...this.lives].reverse();
    for (const life of others) await life.end('leave');
    await last?.end('shutdown');
    rmSync(this.state, { recursive: true, force: true });
    rmSync(this.projectPath, { recursive: true, force: true });
  }
}
