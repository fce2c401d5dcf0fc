import { closeSync, constants, openSync, readSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { makeFifos } from '../output/worker/fifo.js';

/**
 * What a shell reads its commands from. Its end for the shell is a FIFO of which this
 * process holds an end for reading too: what a shell has not read when it ends was not
 * begun, since a command is one line.
 */
export class CommandFifo {
  private readonly writer: Socket;

  private constructor(
    /** For the shell; to be closed here as soon as the shell has it. */
    readonly shellEnd: number,
    private readonly ownEnd: number,
    writeEnd: number,
  ) {
    this.writer = new Socket({ fd: writeEnd, readable: false, writable: true });
    // A shell that has ended takes no more commands; its exit is told by its process.
    this.writer.on('error', () => undefined);
  }

  /** @throws Error when it could not be made */
  static async open(folder: string): Promise<CommandFifo> {
    const [path = ''] = await makeFifos(folder, 1);
    // The end that does not wait comes first, so that opening the others does not either.
    const ownEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const shellEnd = openSync(path, constants.O_RDONLY);
    unlinkSync(path);
    return new CommandFifo(shellEnd, ownEnd, writeEnd);
  }

  write(text: string): void {
    this.writer.write(text);
  }

  /** Whether the last command was not read to its end; to be asked once, after the shell has ended. */
  hasUnread(): boolean {
    if (this.writer.writableLength > 0) return true;
    try {
      return readSync(this.ownEnd, Buffer.alloc(1)) > 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
      throw error;
    }
  }

  close(): void {
    this.writer.destroy();
    closeSync(this.ownEnd);
  }
}
