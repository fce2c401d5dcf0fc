import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { RunnerMethod } from '../../protocol/runner/method.js';
import { configureMethod, type RunnerSettings } from '../../protocol/runner/settings.js';
import { failure } from '../../protocol/tool-result.js';
import { answerOf } from './answer-of.js';
import { attendRunner, type AttendanceOptions } from './attend-runner.js';
import { endRunner } from './end-runner.js';
import { acquaintanceOf, type DaemonIdentity, type RunnerHello } from './hello.js';
import type { LinkEvent } from './link-event.js';
import { LINK_BOUNDS, type LinkBounds } from './link-bounds.js';
import type { RunnerAnswer, RunnerCallOptions, RunnerPort, RunnerState } from './port.js';
import { reachRunner, type ReachedRunner } from './reach-runner.js';
import { restartDelayMs } from './restart-delay.js';
import type { RunnerConnection } from './runner-connection.js';
import { PhaseHolder } from './runner-phase.js';
import { sendSettings } from './send-settings.js';
import type { RunnerLaunch } from './spawn-runner.js';

export interface RunnerLinkOptions {
  readonly socketPath: string;
  readonly daemon: DaemonIdentity;
  readonly launch: RunnerLaunch;
  /** What a Runner is told before it serves anything; without them it keeps its own. */
  readonly settings?: RunnerSettings;
  /** What happened to the Runner, for the daemon's log. */
  readonly log: (event: LinkEvent) => void;
  readonly bounds?: Partial<LinkBounds>;
}

export interface RunnerLink extends RunnerPort {
  /** Begins to reach the Runner and returns at once; calls wait for it by themselves. */
  start(): void;
  /** Puts other settings in force, for the Runner of now and for those that come. */
  configure(settings: RunnerSettings): Promise<RunnerAnswer<{ readonly generation: number }>>;
  /**
   * `shutdown` ends the Runner with its Jobs; `leave` hangs up and lets it go on, for
   * the next daemon to take up.
   */
  stop(how: 'shutdown' | 'leave'): Promise<void>;
}

/** The daemon's link to its Runner: reaches it, restarts it, and asks it (spec 03 §12). */
export function createRunnerLink(options: RunnerLinkOptions): RunnerLink {
  return new Link(options);
}

/** How the time with one Runner ended. */
type ServiceEnd = 'lost' | 'replaced' | 'stopped' | { readonly failed: string };

class Link implements RunnerLink {
  private readonly bounds: LinkBounds;
  private readonly phase = new PhaseHolder();
  private readonly instanceListeners: ((now: RunnerState, replaced: RunnerState | null) => void)[] = [];
  private lastState: RunnerState | null = null;
  private stopHow: 'shutdown' | 'leave' | null = null;
  private readonly stopping = new AbortController();
  private readonly attendance: Omit<AttendanceOptions, 'reached'>;
  private supervision: Promise<void> | null = null;
  private settings: RunnerSettings | undefined;

  constructor(private readonly options: RunnerLinkOptions) {
    this.bounds = { ...LINK_BOUNDS, ...options.bounds };
    const { daemon, log } = options;
    this.settings = options.settings;
    this.attendance = { daemon, log, bounds: this.bounds, phase: this.phase, stopping: this.stopping.signal };
  }

  get state(): RunnerState | null {
    const { current } = this.phase;
    return current.kind === 'up' ? current.state : null;
  }

  onInstance(listener: (now: RunnerState, replaced: RunnerState | null) => void): void {
    this.instanceListeners.push(listener);
  }

  start(): void {
    this.supervision ??= this.supervise();
  }

  configure(settings: RunnerSettings): Promise<RunnerAnswer<{ readonly generation: number }>> {
    this.settings = settings;
    return this.call(configureMethod, settings);
  }

  async stop(how: 'shutdown' | 'leave'): Promise<void> {
    this.stopHow ??= how;
    this.stopping.abort();
    // Also a link that was never started ends the Runner that it finds.
    this.start();
    await this.supervision;
  }

  async call<Params extends z.ZodType, Result extends z.ZodType, Note extends z.ZodType>(
    method: RunnerMethod<Params, Result, Note>,
    params: z.input<Params>,
    { signal, onNote, waitsMs = this.bounds.callWaitsMs, background }: RunnerCallOptions<z.output<Note>> = {},
  ): Promise<RunnerAnswer<z.output<Result>>> {
    if (!method.params.safeParse(params).success) {
      const message = `The daemon made a malformed "${method.name}" request; nothing was started.`;
      return { failure: failure('internal_error', message, { state_changed: false }) };
    }
    const checkedNote =
      onNote &&
      ((raw: unknown): void | Promise<void> => {
        const note = method.note.safeParse(raw);
        return note.success ? onNote(note.data) : undefined;
      });
    const deadline = performance.now() + waitsMs;
    for (;;) {
      const connection = await this.phase.untilUp(deadline, signal);
      if ('success' in connection) return { failure: connection };
      const reply = await connection.request(method.name, params, { signal, onNote: checkedNote, background });
      // A request that provably reached no Runner may go to the next one, whatever it does.
      if (reply.kind !== 'undelivered' || performance.now() >= deadline) return answerOf(method, reply);
    }
  }

  /** Serves with one Runner after the other until the link is stopped. */
  private async supervise(): Promise<void> {
    let failures = 0;
    for (;;) {
      const since = performance.now();
      const end = await this.serveOnce();
      if (end === 'stopped') break;
      if (end === 'replaced') continue;
      // A Runner that is not ours to use is not ours to end either.
      if (end !== 'lost' && this.stopHow !== null) break;
      failures = performance.now() - since >= this.bounds.stableMs ? 1 : failures + 1;
      const delay = restartDelayMs(failures);
      if (end !== 'lost') {
        this.options.log({ event: 'runner_unreachable', reason: end.failed, retry_in_ms: delay });
        this.phase.enter({ kind: 'coming', reason: end.failed });
      }
      if (delay > 0) await this.pause(delay);
    }
    this.phase.enter({ kind: 'blocked', reason: 'the daemon is shutting down' });
  }

  /** Reaches a Runner and stays with it until it is lost, replaced, or no longer wanted. */
  private async serveOnce(): Promise<ServiceEnd> {
    const { log, socketPath, launch, daemon } = this.options;
    const reach = { socketPath, daemon, launch, bounds: this.bounds, onStarted: (pid: number | undefined) => log({ event: 'runner_started', pid }) };
    const reached = await reachRunner(reach, this.stopHow === null);
    if (reached === null) return 'stopped';
    if ('failed' in reached) return reached;
    const refused = await this.takeUp(reached);
    if (refused !== null) return refused;

    const { connection, hello } = reached;
    switch (await attendRunner({ ...this.attendance, reached })) {
      case 'lost':
        log({ event: 'runner_lost', pid: hello.pid });
        return 'lost';
      case 'replace':
        await endRunner(connection, hello.pid, 'replaced', this.bounds.shutdownMs);
        log({ event: 'runner_replaced', pid: hello.pid });
        return 'replaced';
      case 'stop': {
        if (this.stopHow === 'leave') {
          connection.end();
        } else {
          const how = await endRunner(connection, hello.pid, 'daemon_stop', this.bounds.shutdownMs);
          log({ event: how === 'ended' ? 'runner_ended' : 'runner_killed', pid: hello.pid });
        }
        return 'stopped';
      }
    }
  }

  /** Enters the phase that a reached Runner allows; a Runner that is not ours to use is an end at once. */
  private async takeUp({ connection, hello, started }: ReachedRunner): Promise<ServiceEnd | null> {
    const acquaintance = acquaintanceOf(hello, this.options.daemon);
    switch (acquaintance.kind) {
      case 'foreign':
        connection.end();
        return { failed: `the Runner on its socket (process ${hello.pid}) keeps another state folder` };
      case 'incompatible':
        if (started) {
          void endRunner(connection, hello.pid, 'incompatible', this.bounds.shutdownMs);
          return { failed: `wc ${hello.runner_version} is installed now, while the daemon is of wc ${this.options.daemon.version}; stop it with "wc daemon stop"` };
        }
        this.phase.enter({
          kind: 'blocked',
          reason: `the one of wc ${hello.runner_version} still runs ${hello.active_jobs} Jobs and ${hello.open_shells} shells and is replaced when they have ended; "wc daemon stop" ends them now`,
        });
        return null;
      case 'serves': {
        const { settings } = this;
        const { log } = this.options;
        const refused = settings === undefined ? null : await sendSettings(connection, settings, this.bounds.helloMs);
        if (refused !== null && !acquaintance.outdated) {
          connection.end();
          return { failed: refused };
        }
        if (refused !== null) log({ event: 'runner_settings_refused', pid: hello.pid, reason: refused });
        this.serveWith(connection, hello);
        return null;
      }
    }
  }

  private serveWith(connection: RunnerConnection, hello: RunnerHello): void {
    const state: RunnerState = {
      pid: hello.pid,
      instanceId: hello.instance_id,
      version: hello.runner_version,
      capabilities: hello.capabilities,
    };
    const replaced = this.lastState;
    this.lastState = state;
    this.options.log({ event: 'runner_connected', pid: state.pid, instance_id: state.instanceId, version: state.version });
    this.phase.enter({ kind: 'up', connection, state });
    if (replaced?.instanceId === state.instanceId) return;
    for (const listener of this.instanceListeners) listener(state, replaced);
  }

  /** Waits, unless the link is to stop. */
  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
  }
}
