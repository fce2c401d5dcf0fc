import { sayHello, type DaemonIdentity, type RunnerHello } from './hello.js';
import type { LinkBounds } from './link-bounds.js';
import type { RunnerConnection } from './runner-connection.js';

export interface PulseOptions {
  readonly connection: RunnerConnection;
  readonly daemon: DaemonIdentity;
  readonly bounds: Pick<LinkBounds, 'pulseMs' | 'helloMs'>;
  readonly onHello: (hello: RunnerHello) => void;
  /** The Runner did not answer within `helloMs`; it is asked on. */
  readonly onSilent: () => void;
}

/**
 * Asks a connected Runner from time to time who it is: whether it still responds, and
 * what it still has to do. Gives back the function that stops it.
 */
export function feelPulse({ connection, daemon, bounds, onHello, onSilent }: PulseOptions): () => void {
  let asking = false;
  let stopped = false;
  const ask = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    const hello = await sayHello(connection, daemon, bounds.helloMs);
    asking = false;
    if (stopped || connection.isOver) return;
    if (hello === null) onSilent();
    else onHello(hello);
  };
  const timer = setInterval(() => void ask(), bounds.pulseMs);
  timer.unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
