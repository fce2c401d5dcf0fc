import type { z } from 'zod';
import type { executeInShellMethod } from '../../protocol/runner/shells.js';
import { LiveOutput } from '../output/worker/live-output.js';
import type { RunnerRequest } from '../request.js';
import type { OutputSink } from './command-framing.js';

type Note = z.input<typeof executeInShellMethod.note>;

export interface LiveListener {
  readonly onOutput: OutputSink;
  /** The command has ended: what is left goes out. */
  readonly end: () => void;
  /** Its request was answered before the command has ended: nobody listens any more. */
  readonly leave: () => void;
}

/** Sends a command's output as notes of its request; a daemon that is behind holds the shell back. */
export function liveListener({ note, drained }: Pick<RunnerRequest<Note>, 'note' | 'drained'>, hold: (on: boolean) => void): LiveListener {
  let listens = true;
  const live: LiveOutput = new LiveOutput({
    send: (stream, text, bytes) => {
      if (note({ stream, ...text })) live.taken(bytes);
      else void drained().then(() => live.taken(bytes));
    },
    hold: (on) => {
      if (listens) hold(on);
    },
  });
  return {
    onOutput: (stream, bytes) => {
      if (listens) live.add(stream, bytes);
    },
    end: () => {
      if (listens) live.end();
    },
    leave: () => {
      live.end();
      listens = false;
      hold(false);
    },
  };
}
