import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { OutputPipe } from '../messages.js';

/** Where `mkfifo` lies when the Runner's own PATH does not say. */
const SYSTEM_PATH = ['/usr/bin', '/bin'].join(delimiter);
/**
 * Everything is read into one buffer and copied from there at once: nothing is allocated
 * a read. It is larger than a FIFO, so that a read is always a short one and a flood in
 * one stream gives way to the others after each.
 */
const readBuffer = Buffer.allocUnsafeSlow(128 * 1_024);

let made = 0;

/**
 * Makes FIFOs and opens both of their ends.
 *
 * A child whose standard output is a pipe of Node's (a socket pair) cannot open
 * `/dev/stdout` or `/dev/stderr`; one that writes into a FIFO can.
 */
export async function openOutputFifos(folder: string, count: number): Promise<OutputPipe[]> {
  const paths = await makeFifos(folder, count);
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const end = openSync(path, flags);
    opened.push(end);
    return end;
  };
  try {
    return paths.map((path) => {
      // The reader comes first, so that opening the blocking write end does not wait.
      const readEnd = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      return { path, readEnd, writeEnd: open(path, constants.O_WRONLY) };
    });
  } catch (error) {
    // Half of them would be descriptors that nobody knows of, on a machine that has none to spare.
    for (const end of opened) closeSync(end);
    throw error;
  } finally {
    for (const path of paths) unlinkSync(path);
  }
}

/** Makes FIFOs under names of their own, and gives back where; whoever opens one removes its name. */
export async function makeFifos(folder: string, count: number): Promise<string[]> {
  const paths = Array.from({ length: count }, () => join(folder, `fifo-${made++}`));
  const path = [process.env['PATH'], SYSTEM_PATH].filter(Boolean).join(delimiter);
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths], { env: { PATH: path, LC_ALL: 'C' } });
  return paths;
}

/** Reads one FIFO until every writer has closed it. */
export class FifoReader {
  private readonly socket: Socket;
  private ended = false;

  /** @param onBytes gets a view that is only good until it returns */
  constructor(
    readEnd: number,
    onBytes: (bytes: Buffer) => void,
    private readonly onEnd: () => void,
  ) {
    const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
      fd: readEnd,
      readable: true,
      writable: false,
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          onBytes(readBuffer.subarray(0, length));
          return true;
        },
      },
    };
    this.socket = new Socket(options);
    this.socket.on('end', () => this.finish());
    this.socket.on('error', () => this.finish());
    this.socket.resume();
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Stops reading, whoever still writes. */
  close(): void {
    this.finish();
  }

  private finish(): void {
    if (this.ended) return;
    this.ended = true;
    this.socket.pause();
    this.onEnd();
    // Closing can wait until those who wait for the end have heard of it.
    setImmediate(() => this.socket.destroy());
  }
}
