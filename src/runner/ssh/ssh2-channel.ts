import { constants as files, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import type { ChannelEnd, ChannelStdio, RemoteChannel } from './connection.js';

/** What a channel that was killed may take to be closed by the other side, too. */
const KILLED_CLOSE_MS = 200;

/**
 * A channel that this process carries itself. How its program ended is what the protocol
 * says of it: an exit status, or the signal that ended it; neither when the connection broke.
 *
 * @param channel just opened, and nothing of it read
 */
export function carryChannel(channel: ClientChannel, { stdin, stdout }: ChannelStdio): RemoteChannel {
  let end: ChannelEnd = { code: null, exact: true, signal: null };
  channel.on('exit', (code: number | null, signal?: string) => (end = { code, exact: true, signal: signal === undefined ? null : signalNamed(signal) }));
  // A connection that breaks closes its channels, which is all that is to be known here.
  channel.on('error', () => undefined);
  channel.stderr.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => channel.once('close', () => resolve()));
  const stderrEnded = new Promise<void>((resolve) => channel.stderr.once('end', () => resolve()));
  const source = typeof stdin === 'number' ? readerOf(stdin) : null;
  if (source !== null) source.on('error', () => channel.end()).pipe(channel);
  else if (stdin === null) channel.end();
  const sink = typeof stdout === 'number' ? writerTo(stdout) : null;
  if (sink !== null) channel.pipe(sink);
  let tellKilled: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => (tellKilled = resolve));
  const ended = Promise.race([Promise.all([closed, stderrEnded, sink === null ? null : closing(sink)]), killed]).then(() => {
    source?.destroy();
    sink?.destroy();
    return end;
  });
  return {
    stdin: stdin === 'pipe' ? channel : null,
    stdout: stdout === 'pipe' ? channel : null,
    stderr: channel.stderr,
    pid: null,
    ended,
    kill: () => {
      channel.unpipe();
      channel.close();
      // A channel is closed only when all of it was read.
      channel.resume();
      channel.stderr.resume();
      setTimeout(tellKilled, KILLED_CLOSE_MS).unref();
    },
  };
}

/** A channel that never came to be one, on a connection that broke or fell silent meanwhile. */
export function silentChannel(stream: Readable, ended: ChannelEnd): RemoteChannel {
  return { stdin: null, stdout: null, stderr: stream, pid: null, ended: Promise.resolve(ended), kill: () => undefined };
}

/** A signal that this system does not know proves nothing. */
function signalNamed(name: string): NodeJS.Signals | null {
  return Object.hasOwn(constants.signals, name) ? (name as NodeJS.Signals) : null;
}

/** Reads what a descriptor reads, over one of its own, and never waits in this thread. */
function readerOf(fd: number): Readable {
  const own = openSync(`/dev/fd/${fd}`, files.O_RDONLY | files.O_NONBLOCK);
  return fstatSync(own).isFIFO() ? new Socket({ fd: own, readable: true, writable: false }) : createReadStream('', { fd: own });
}

/** Writes where a descriptor of a FIFO writes, over one of its own, and never waits in this thread. */
function writerTo(fd: number): Socket {
  const own = openSync(`/dev/fd/${fd}`, files.O_WRONLY | files.O_NONBLOCK);
  const writer = new Socket({ fd: own, readable: false, writable: true });
  // Nobody reads any more: what comes is passed over.
  writer.on('error', () => undefined);
  return writer;
}

function closing(sink: Socket): Promise<void> {
  return new Promise((resolve) => {
    sink.once('close', () => resolve());
    sink.once('finish', () => sink.destroy());
  });
}
