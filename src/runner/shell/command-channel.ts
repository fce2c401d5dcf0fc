import type { TreeEnd } from '../process/process-tree.js';
import type { ProcessExit } from '../process/spawn-child.js';
import type { OutputSink } from './command-framing.js';
import type { ControlFrame } from './control-reader.js';

/** The way to a live shell, wherever its processes are. */
export interface CommandChannel {
  /** The process on this machine that is it, or that leads to it; null where there is none. */
  readonly pid: number | null;
  readonly exited: Promise<ProcessExit>;
  /** Settles when no control frame can come any more. */
  readonly controlEnded: Promise<void>;
  /** What an interrupt may take to reach the shell, in milliseconds. */
  readonly interruptWayMs: number;
  /**
   * Writes a command to the shell; the one before must have been framed.
   *
   * @returns settles when the command's end is proven; with null when it can not be any more
   */
  run(command: string, sink: OutputSink): Promise<ControlFrame | null>;
  /** Interrupts whatever runs in the shell's group, the shell included unless it traps that. */
  interrupt(): void;
  /** Ends the shell's group without looking at what is in it. */
  kill(): void;
  /** Stops reading the streams for a listener that is behind, or goes on. */
  hold(on: boolean): void;
  /** Ends every process of the shell. */
  end(graceMs: number): Promise<TreeEnd>;
  /** Waits until both streams have been read to their end, whoever held them. */
  drained(withinMs: number): Promise<void>;
  /** Whether the shell, which has ended, never read the last command to its end, so that nothing of it ran. */
  neverBegan(): boolean;
  /** Closes every descriptor, whoever still holds the other end. */
  close(): void;
}
