import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { MAX_STDIN_BYTES } from '../../protocol/execution-limits.js';

/** Where `mkfifo` lies when the PATH does not say. */
const SYSTEM_PATH = ['/usr/bin', '/bin'].join(delimiter);

/** Why a program was ended that was given more than it may get. */
export const OVERFLOW = 'overflow';

/**
 * A FIFO between our standard input and the program's. The program opens it by its
 * path, so the bytes go straight from here to there and no daemon stands between.
 */
export class InputPipe {
  /** Aborted when more came than a program gets. */
  readonly overflow: AbortSignal;
  private readonly overflowed = new AbortController();
  private passed = 0;

  private constructor(
    private readonly folder: string,
    /** Absolute. */
    readonly path: string,
    /** Keeps what was written until the program has opened its end. */
    private readonly ownReader: number,
    private readonly writer: Socket,
    private readonly source: NodeJS.ReadStream | null,
  ) {
    this.overflow = this.overflowed.signal;
    // A program that stops reading is no error.
    writer.on('error', () => undefined);
  }

  /**
   * Makes the FIFO, private to this user, and begins to fill it.
   *
   * @param first what was read by now
   * @param source where the rest comes from; null when there is none
   */
  static async create(first: Buffer, source: NodeJS.ReadStream | null): Promise<InputPipe> {
    const folder = await mkdtemp(join(tmpdir(), 'wc-stdin-'));
    const path = join(folder, 'pipe');
    try {
      const env = { PATH: [process.env['PATH'], SYSTEM_PATH].filter(Boolean).join(delimiter), LC_ALL: 'C' };
      await promisify(execFile)('mkfifo', ['-m', '600', path], { env });
      // The reader comes first: a FIFO that nobody reads can not be opened for writing.
      const ownReader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const writer = new Socket({ fd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), readable: false, writable: true });
      const pipe = new InputPipe(folder, path, ownReader, writer, source);
      pipe.fill(first);
      return pipe;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Ends the input, and removes the FIFO. */
  async close(): Promise<void> {
    this.source?.destroy();
    this.writer.destroy();
    closeSync(this.ownReader);
    await rm(this.folder, { recursive: true, force: true });
  }

  private fill(first: Buffer): void {
    if (first.length > 0) this.pass(first);
    if (this.source === null) {
      this.writer.end();
      return;
    }
    this.source.on('data', (chunk: Buffer) => this.pass(chunk));
    this.source.on('end', () => this.writer.end());
    this.source.on('error', () => this.writer.end());
    this.source.resume();
    // Its end may have come while the FIFO was made.
    if (this.source.readableEnded) this.writer.end();
  }

  private pass(bytes: Buffer): void {
    this.passed += bytes.length;
    if (this.passed <= MAX_STDIN_BYTES) this.writer.write(bytes);
    else this.overflowed.abort(OVERFLOW);
  }
}
