import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';

/** Another process answers on the socket: this one must not serve beside it. */
export class SocketInUseError extends Error {
  constructor(path: string) {
    super(`another process already answers on ${path}`);
    this.name = 'SocketInUseError';
  }
}

/**
 * Listens on a Unix socket that only this user can reach: bound under a tight umask,
 * so that it is never wider than 0600, not even for an instant. A socket that a dead
 * process left behind is replaced; one that still answers is left alone.
 *
 * @returns the identity of the socket's file, by which it is known from a successor's
 * @throws SocketInUseError when somebody answers on `path`
 */
export async function listenPrivately(server: Server, path: string): Promise<string | null> {
  try {
    await bind(server, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (await answers(path)) throw new SocketInUseError(path);
    unlinkSync(path);
    await bind(server, path);
  }
  chmodSync(path, 0o600);
  return fileIdentity(path);
}

/** Which very file a path names; null when it names none. Inode numbers alone are used again. */
export function fileIdentity(path: string): string | null {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}:${stat.ctimeNs}`;
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const umask = process.umask(0o177);
    try {
      server.once('error', reject);
      server.listen(path, () => {
        server.off('error', reject);
        resolve();
      });
    } finally {
      process.umask(umask);
    }
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // A full backlog (EAGAIN) belongs to somebody who lives; only a refusal proves that nobody listens.
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}
