import { acquaintanceOf, isBusy, type DaemonIdentity, type RunnerHello } from './hello.js';
import type { LinkBounds } from './link-bounds.js';
import type { LinkEvent } from './link-event.js';
import { feelPulse } from './pulse.js';
import type { ReachedRunner } from './reach-runner.js';
import type { PhaseHolder } from './runner-phase.js';

export interface AttendanceOptions {
  readonly reached: ReachedRunner;
  readonly daemon: DaemonIdentity;
  readonly bounds: LinkBounds;
  readonly phase: PhaseHolder;
  readonly log: (event: LinkEvent) => void;
  /** Aborted when the link is to stop. */
  readonly stopping: AbortSignal;
}

/** Why a Runner is not attended any more. */
export type AttendanceEnd = 'lost' | 'stop' | 'replace';

const REASONS: Readonly<Record<AttendanceEnd, string>> = {
  lost: 'it ended and is being restarted',
  stop: 'the daemon is shutting down',
  replace: 'it is being replaced by another version',
};

/**
 * Stays with a Runner. One that falls silent gets its waiting calls answered for it, and
 * is used again when it responds. One of another version that was taken up is to be
 * replaced when nothing is under way; one that was started is what is installed.
 */
export function attendRunner({ reached, daemon, bounds, phase, log, stopping }: AttendanceOptions): Promise<AttendanceEnd> {
  const { connection, hello, started } = reached;
  const { pid } = hello;
  const acquaintance = acquaintanceOf(hello, daemon);
  const outdated = !started && !(acquaintance.kind === 'serves' && !acquaintance.outdated);
  const serving = phase.current;
  return new Promise((resolve) => {
    let over = false;
    const end = (how: AttendanceEnd): void => {
      if (over) return;
      over = true;
      stopPulse();
      stopping.removeEventListener('abort', onStop);
      // At once, so that no call begins on a connection that is about to end.
      phase.enter({ kind: 'coming', reason: REASONS[how] });
      resolve(how);
    };
    const onStop = (): void => end('stop');
    const replaceWhenIdle = (latest: RunnerHello): void => {
      if (outdated && !isBusy(latest) && connection.inFlight === 0) end('replace');
    };
    const stopPulse = feelPulse({
      connection,
      daemon,
      pid,
      bounds,
      onHello: (latest) => {
        if (phase.current !== serving) {
          log({ event: 'runner_responds', pid });
          phase.enter(serving);
        }
        replaceWhenIdle(latest);
      },
      onSilent: () => {
        if (phase.current !== serving) return;
        log({ event: 'runner_silent', pid });
        phase.enter({ kind: 'blocked', reason: `it (process ${pid}) does not respond` });
        connection.abandon('The Runner stopped responding');
      },
    });
    void connection.ended.then(() => end('lost'));
    if (stopping.aborted) {
      onStop();
    } else {
      stopping.addEventListener('abort', onStop, { once: true });
      replaceWhenIdle(hello);
    }
  });
}
