import { Socket } from 'node:net';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { ConnectFailure } from '../../protocol/runner/ssh.js';
import { refuse } from '../request.js';
import { firstOf } from '../shell/first-of.js';
import { connectionFailed, FrameFilter, type ChannelEnd, type HeldConnection, type RemoteChannel, type RemoteFrame } from '../ssh/index.js';
import { notStarted } from './not-started.js';
import { cwdInvalid } from './prepare-remote.js';

/** From an open channel to the word of the other side that the command starts. */
const START_WITHIN_MS = 10_000;

type StartFrame = Extract<RemoteFrame, { kind: 'start' }>;

/** What a channel says before its command starts. */
type FirstWord = RemoteFrame | { readonly kind: 'ended'; readonly end: ChannelEnd };

/** A channel whose command has said that it starts. */
export interface StartedChannel {
  readonly remote: RemoteChannel;
  readonly start: StartFrame;
  /** Who hears the frames from now on; those that came meanwhile are heard at once. */
  listen(onFrame: (frame: RemoteFrame) => void): void;
  /** Settles when all of standard error was passed on. */
  readonly written: Promise<void>;
}

/** Follows standard error from its first byte, and waits for what the wrapper says first; null when it says nothing in time. */
export async function firstWord(remote: RemoteChannel, token: string, stderrEnd: number): Promise<StartedChannel | { readonly said: FirstWord | null }> {
  const early: RemoteFrame[] = [];
  let onFrame = (frame: RemoteFrame): void => void early.push(frame);
  let sink: Socket | null = null;
  let tellFirst: (frame: FirstWord) => void = () => undefined;
  const first = new Promise<FirstWord>((resolve) => (tellFirst = resolve));
  const filter = new FrameFilter(
    token,
    (frame) => {
      if (frame.kind === 'start') sink ??= writer(stderrEnd);
      tellFirst(frame);
      onFrame(frame);
    },
    (bytes) => {
      if (sink?.write(Buffer.from(bytes)) === false) {
        remote.stderr.pause();
        sink.once('drain', () => remote.stderr.resume());
      }
    },
  );
  remote.stderr.on('data', (bytes: Buffer) => filter.feed(bytes));
  remote.stderr.on('error', () => undefined);
  const written = remote.ended.then(() => {
    filter.end();
    return ended(sink);
  });
  void remote.ended.then((end) => tellFirst({ kind: 'ended', end }));
  const said = (await firstOf({ first }, START_WITHIN_MS))?.value ?? null;
  if (said?.kind === 'start') {
    return {
      remote,
      start: said,
      written,
      listen: (listener) => {
        onFrame = listener;
        for (const frame of early.splice(0)) listener(frame);
      },
    };
  }
  remote.kill();
  await remote.ended;
  return { said };
}

/** Why a command did not start, or that it cannot be known whether it did. */
export async function neverStarted({ said }: { readonly said: FirstWord | null }, held: HeldConnection, resource: string): Promise<Refusal> {
  switch (said?.kind) {
    case 'cwd':
      return cwdInvalid(resource, 'could not be entered');
    case 'shell':
      return notStarted('interpreter_unavailable', 'interpreter_unavailable', `There is no bash on "${resource}"; use shell "sh", or install bash there.`, { resource });
    case 'ended': {
      // On a connection that is whole, whatever the wrapper had said would have come.
      if (!(await held.connection.isAlive())) break;
      return said.end.code === null ? connectionFailed(resource, 'channel_refused') : spawnFailed(resource, said.end.code);
    }
    default:
      break;
  }
  held.forget();
  return refuse('ssh_transport_failed', `The connection to "${resource}" broke while the command was handed over; whether it started is not known, so look before you try again.`, {
    resource,
    execution_state: 'outcome_unknown',
    command_started: true,
    command_completed: false,
    state_changed: null,
    failure_kind: 'outcome_unknown',
    remote_termination: 'unverified',
  });
}

/** No channel was opened: nothing was started. */
export function refusedChannel(resource: string, failed: ConnectFailure | 'spawn_failed'): Refusal {
  return failed === 'spawn_failed' ? spawnFailed(resource, null) : connectionFailed(resource, failed);
}

/** The other side's login shell, or `ssh` here, never came to the command. */
function spawnFailed(resource: string, code: number | null): Refusal {
  const what = code === null ? 'no channel could be made for it, or its host would not run it' : `its login shell ended with code ${code} before the command`;
  return notStarted('ssh_command_spawn_failed', 'spawn_failed', `The command was not started on "${resource}": ${what}; look at the start files of the account there.`, { resource });
}

/** Writes to a FIFO without ever waiting in this thread. */
function writer(writeEnd: number): Socket {
  const socket = new Socket({ fd: writeEnd, readable: false, writable: true });
  // Nobody reads any more: what comes is passed over.
  socket.on('error', () => undefined);
  return socket;
}

function ended(sink: Socket | null): Promise<void> {
  if (sink === null) return Promise.resolve();
  return new Promise((resolve) => {
    sink.once('close', () => resolve());
    sink.end(() => sink.destroy());
    if (sink.destroyed) resolve();
  });
}
