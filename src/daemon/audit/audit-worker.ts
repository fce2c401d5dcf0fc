import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { readInSnapshot } from './reads/index.js';
import { retain } from './retention.js';
import type { WorkerAnswer, WorkerFailure, WorkerRequest, WorkerTask } from './worker-wire.js';

/*
 * The audit's worker thread: whatever takes long or waits for the disk, away from the loop
 * that serves calls. It opens the store anew for every task, so that it never holds a
 * snapshot, a lock or a file that was replaced.
 */

/** How long a read waits for a lock. */
const BUSY_TIMEOUT_MS = 250;
/** Long enough for the daemon to take the lock between two steps of the retention. */
const RETENTION_PAUSE_MS = 10;

const { path } = workerData as { readonly path: string };

class Unavailable extends Error {}

async function perform(task: WorkerTask): Promise<unknown> {
  const database = open('read' in task);
  try {
    if ('read' in task) return readInSnapshot(database, task.read, task.query);
    if ('checkpoint' in task) return database.pragma('wal_checkpoint(PASSIVE)');
    return await retain(database, task.retain, () => wait(RETENTION_PAUSE_MS));
  } finally {
    database.close();
  }
}

function open(readonly: boolean): Database {
  try {
    const database = new SqliteDatabase(path, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    database.pragma('foreign_keys = ON');
    return database;
  } catch (error) {
    throw new Unavailable(messageOf(error));
  }
}

function failureOf(error: unknown): WorkerFailure {
  return { kind: error instanceof Unavailable ? 'unavailable' : 'failed', message: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

parentPort?.on('message', ({ id, task }: WorkerRequest) => {
  void perform(task)
    .then(
      (result): WorkerAnswer => ({ id, result }),
      (error: unknown): WorkerAnswer => ({ id, failure: failureOf(error) }),
    )
    .then((answer) => parentPort?.postMessage(answer));
});
