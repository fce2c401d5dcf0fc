import { setTimeout as sleep } from 'node:timers/promises';
import { askHello, patience, type DaemonIdentity, type RunnerHello } from './hello.js';
import type { LinkBounds } from './link-bounds.js';
import type { RunnerConnection } from './runner-connection.js';
import { isStopped } from './stopped-process.js';

export interface PulseOptions {
  readonly connection: RunnerConnection;
  readonly daemon: DaemonIdentity;
  readonly pid: number;
  readonly bounds: Pick<LinkBounds, 'pulseMs' | 'lateMs' | 'helloMs'>;
  readonly onHello: (hello: RunnerHello) => void;
  /** The Runner was stopped, or did not answer within `helloMs`; its next answer is waited for. */
  readonly onSilent: () => void;
}

/**
 * Asks a connected Runner from time to time who it is: whether it still responds, and
 * what it still has to do. One that is merely slow, on a machine that is flooded, gets
 * all of `helloMs`; one that was stopped is known after `lateMs`. The answer of a silent
 * one is heard the moment it comes. Gives back the function that stops it.
 */
export function feelPulse(options: PulseOptions): () => void {
  const over = new AbortController();
  void beat(options, over.signal);
  return () => over.abort();
}

async function beat({ connection, daemon, pid, bounds, onHello, onSilent }: PulseOptions, over: AbortSignal): Promise<void> {
  const goesOn = (): boolean => !over.aborted && !connection.isOver;
  for (;;) {
    await sleep(bounds.pulseMs, undefined, { signal: over, ref: false }).catch(() => undefined);
    if (!goesOn()) return;
    const asked = askHello(connection, daemon);
    const hello = (await heard(asked, pid, bounds)) ?? (await silent());
    if (!goesOn()) return;
    if (hello !== null) onHello(hello);
  }

  /** Whoever is told may give up what waits on the connection, so the question is asked anew. */
  function silent(): Promise<RunnerHello | null> | null {
    if (!goesOn()) return null;
    onSilent();
    return askHello(connection, daemon);
  }
}

/** The answer, or null when it did not come in time or cannot come. */
async function heard(
  asked: Promise<RunnerHello | null>,
  pid: number,
  { lateMs, helloMs }: Pick<LinkBounds, 'lateMs' | 'helloMs'>,
): Promise<RunnerHello | null> {
  const bound = patience(helloMs);
  for (;;) {
    const hello = await Promise.race([asked, bound, sleep(lateMs, 'late' as const, { ref: false })]);
    if (hello !== 'late') return hello;
    if (await isStopped(pid)) return null;
  }
}
