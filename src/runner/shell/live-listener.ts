import type { z } from 'zod';
import type { executeInShellMethod } from '../../protocol/runner/shells.js';
import { LiveOutput } from '../output/worker/live-output.js';
import type { RunnerRequest } from '../request.js';
import type { OutputSink } from './shell-channel.js';

type Note = z.input<typeof executeInShellMethod.note>;

export interface LiveListener {
  readonly onOutput: OutputSink;
  /** The command has ended: what is left goes out. */
  readonly end: () => void;
}

/** Sends a command's output as notes of its request; a daemon that is behind holds the shell back. */
export function liveListener({ note, drained }: Pick<RunnerRequest<Note>, 'note' | 'drained'>, hold: (on: boolean) => void): LiveListener {
  const live: LiveOutput = new LiveOutput({
    send: (stream, text, bytes) => {
      if (note({ stream, ...text })) live.taken(bytes);
      else void drained().then(() => live.taken(bytes));
    },
    hold,
  });
  return { onOutput: (stream, bytes) => live.add(stream, bytes), end: () => live.end() };
}
