import type { Readable, Writable } from 'node:stream';
import type { ConnectFailure } from '../../protocol/runner/ssh.js';

/** How a channel ended, as its transport knows it. */
export interface ChannelEnd {
  /** What the other side's shell ended with, as far as it is told; null when nothing is. */
  readonly code: number | null;
  /** Whether `code` is proven to be the remote program's own, by the protocol itself. */
  readonly exact: boolean;
  /** What ended the remote program, where the transport tells. */
  readonly signal: NodeJS.Signals | null;
}

/** What a channel reads from and writes to on this side. */
export interface ChannelStdio {
  /** A descriptor that the channel gets a copy of, or a stream to write to; null is an empty standard input. */
  readonly stdin: number | 'pipe' | null;
  /** A descriptor that standard output goes to as it comes, or a stream to read. */
  readonly stdout: number | 'pipe';
}

/** One remote program on a connection of many. */
export interface RemoteChannel {
  /** Null unless it was asked for. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  /** Standard error as it comes, frames included; it ends before `ended` settles. */
  readonly stderr: Readable;
  /** The process on this machine that carries it; null where the Runner itself does. */
  readonly pid: number | null;
  readonly ended: Promise<ChannelEnd>;
  /** Ends this side at once, whatever the other side does. */
  kill(): void;
}

/** One authenticated connection to a resource; every command is a channel of it. */
export interface RemoteConnection {
  /** Whether it still carries channels; a look that is cheap enough to be made before every command. */
  isAlive(): Promise<boolean>;
  /** Opens a channel for a program. A failure means that no channel was opened. */
  open(command: string, stdio: ChannelStdio): Promise<RemoteChannel | { readonly failed: ConnectFailure | 'spawn_failed' }>;
  /** Runs a short program of our own, and gives back what it printed; null when it did not end well in time. */
  ask(command: string, withinMs: number): Promise<string | null>;
  /** Ends it now, channels included; settles when nothing of it is left on this machine. */
  close(): Promise<void>;
}
