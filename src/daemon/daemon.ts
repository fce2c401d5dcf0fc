import type { Database } from 'better-sqlite3';
import type { StatePaths } from '../protocol/state-folder.js';
import { VERSION } from '../protocol/version.js';
import { readCatalog } from './catalog-file.js';
import { compose, LEDGER_SCHEMAS, type Composition } from './compose.js';
import { readConfig, runnerSettings, type Config } from './config.js';
import { takeLock, type Lock } from './lock.js';
import { openLog, type Logger } from './log.js';
import { createMcpEndpoint } from './mcp-endpoint/index.js';
import { health, processStatus, type ProcessFacts } from './process-status.js';
import { createRunnerLink, type RunnerLink } from './runner-link/index.js';
import { runnerLaunch } from './runner-launch.js';
import { ApiServer } from './server/index.js';
import { listenOnSocket, removeSocket, socketPath } from './socket.js';
import { prepareStateFolder, StartRefused } from './state-folder.js';
import { stopRoute, type StopHow } from './stop-route.js';
import { NewerStoreError } from './storage/migrations.js';
import { openDatabase } from './storage/open-database.js';

/** Short calls end by themselves within this, before the Runner is told to end. */
const SHORT_CALLS_MS = 1_000;
/** The Runner ends its children within 12 s; every call under way has its answer then. */
const LAST_CALLS_MS = 15_000;

export interface DaemonOptions {
  readonly paths: StatePaths;
  readonly ownerUid: number;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether log lines go to stderr as well. */
  readonly foreground: boolean;
}

/** A daemon that serves its socket. */
export interface Daemon {
  readonly socket: string;
  /** Ends it in order; calls under way get their answer. */
  stop(how: StopHow): Promise<void>;
  /** Settles when it has ended, whoever asked for it. */
  readonly stopped: Promise<void>;
}

/**
 * Starts the daemon: state folder, lock, configuration, stores, socket, Runner, in this
 * order, and undoes what it did when one of them refuses.
 *
 * @throws StartRefused with the one line that says why
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { paths } = options;
  prepareStateFolder(paths, options.ownerUid);
  const startedAt = new Date();
  const lock = takeLock(paths, { pid: process.pid, version: VERSION, started_at: startedAt.toISOString() });
  try {
    const config = readConfig(paths.config);
    const log = openLog(paths.log, config.log, options.foreground);
    const ledger = openLedger(paths);
    return await new RunningDaemon(options, startedAt, lock, config, log, ledger).start();
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openLedger(paths: StatePaths): Database {
  try {
    return openDatabase(paths.ledger, LEDGER_SCHEMAS);
  } catch (error) {
    if (error instanceof NewerStoreError) throw new StartRefused(`${paths.ledger}: ${error.message}`);
    throw new StartRefused(
      `cannot open ${paths.ledger}: ${error instanceof Error ? error.message : String(error)}; free space, or restore it from a backup`,
    );
  }
}

class RunningDaemon implements Daemon {
  socket = '';
  readonly stopped: Promise<void>;
  private settleStopped: () => void = () => undefined;
  private stopping: Promise<void> | null = null;
  private readonly runner: RunnerLink;
  private readonly house: Composition;
  private readonly server: ApiServer;

  constructor(
    private readonly options: DaemonOptions,
    startedAt: Date,
    private readonly lock: Lock,
    config: Config,
    private readonly log: Logger,
    private readonly ledger: Database,
  ) {
    const { paths } = options;
    this.stopped = new Promise((resolve) => (this.settleStopped = resolve));
    const runnerSocket = socketPath({ path: paths.runnerSocket, pointer: paths.runnerSocketPointer });
    this.runner = createRunnerLink({
      socketPath: runnerSocket,
      daemon: { version: VERSION, stateFolder: paths.folder },
      launch: runnerLaunch(paths, runnerSocket, config, options.env),
      settings: runnerSettings(config),
      log: (event) => log.info(event, 'runner'),
    });
    const facts: ProcessFacts = {
      startedAt,
      runner: this.runner,
      config,
      callsInFlight: () => this.server.calls.count,
      lastCommitError: () => this.house.commits.lastError,
      auditLossReason: () => this.house.audit.lossReason(),
    };
    this.house = compose({
      ledger,
      auditPath: paths.audit,
      runner: this.runner,
      config,
      configuration: { path: paths.config, apply: (settings) => this.runner.configure(settings) },
      log,
      ownerUid: options.ownerUid,
      home: options.home,
      authorityMode: options.env['WC_AUTHORITY_MODE'],
      processStatus: processStatus(facts),
      processNumbers: { startedAt, callsInFlight: () => this.server.calls.count, paths },
    });
    const onFault = (error: unknown): void => log.error({ err: error }, 'a request failed inside');
    this.server = new ApiServer({
      kernel: this.house.kernel,
      routes: [...this.house.routes, stopRoute((how) => void this.stop(how))],
      admit: (caller) => this.house.principals.admit(caller),
      health: (_calls, shuttingDown) => health(facts, shuttingDown),
      mcp: createMcpEndpoint({
        readCatalog,
        textCopy: config.mcp.text_copy,
        onListed: (list) => this.house.audit.recordToolsList(list),
        onFault,
      }),
      onFault,
    });
  }

  async start(): Promise<this> {
    const { paths } = this.options;
    try {
      this.socket = await listenOnSocket(this.server.http, { path: paths.socket, pointer: paths.socketPointer });
    } catch (error) {
      await this.closeStores();
      throw error;
    }
    if (this.lock.takenOverFromCrash) this.house.audit.noteRecovered();
    this.runner.start();
    const { authority } = this.house.kernel;
    if (authority.mode === 'invalid') {
      this.log.warn({ value: authority.value }, 'WC_AUTHORITY_MODE is none that is known: every tool that needs a decision is denied');
    }
    this.log.info({ pid: process.pid, version: VERSION, socket: this.socket }, 'serving');
    return this;
  }

  stop(how: StopHow): Promise<void> {
    this.stopping ??= this.end(how);
    return this.stopping;
  }

  private async end(how: StopHow): Promise<void> {
    const { paths } = this.options;
    this.log.info({ how }, 'stopping');
    this.server.refuseNewCalls();
    this.house.endWaits();
    await this.server.calls.drained(SHORT_CALLS_MS);
    await this.runner.stop(how);
    if (!(await this.server.calls.drained(LAST_CALLS_MS))) {
      this.log.warn({ calls: this.server.calls.count }, 'calls were left without an answer');
    }
    await this.server.close();
    removeSocket({ path: paths.socket, pointer: paths.socketPointer });
    await this.closeStores();
    this.log.info('stopped');
    this.lock.release();
    this.settleStopped();
  }

  private async closeStores(): Promise<void> {
    this.house.commits.flush();
    for (const domain of this.house.domains) await domain.close?.();
    this.ledger.close();
  }
}
