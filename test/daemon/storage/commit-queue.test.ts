import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommitFailedError, CommitQueue } from '../../../src/daemon/storage/commit-queue.js';
import { NewerStoreError } from '../../../src/daemon/storage/migrations.js';
import { openDatabase } from '../../../src/daemon/storage/open-database.js';

const notes = { domain: 'notes', steps: ['CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT'] };

describe('the commit queue', () => {
  let folder: string;
  let database: Database;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wc-store-'));
    database = openDatabase(join(folder, 'store.db'), [notes]);
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  const texts = (): string[] => database.prepare<[], string>('SELECT text FROM notes ORDER BY text').pluck().all();

  it('settles after the commit that holds the work', async () => {
    const commits = new CommitQueue(database);
    const insert = database.prepare('INSERT INTO notes VALUES (?)');
    await commits.enqueue(() => insert.run('a'));
    const other = openDatabase(join(folder, 'store.db'), [notes]);
    expect(other.prepare('SELECT count(*) FROM notes').pluck().get()).toBe(1);
    other.close();
  });

  it('lets concurrent works share one transaction, and undoes alone the one that fails', async () => {
    const commits = new CommitQueue(database);
    const insert = database.prepare('INSERT INTO notes VALUES (?)');
    const outcomes = await Promise.allSettled([
      commits.enqueue(() => insert.run('a')),
      commits.enqueue(() => {
        insert.run('b');
        insert.run('a');
      }),
      commits.enqueue(() => insert.run('c')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((outcomes[1] as PromiseRejectedResult).reason).toBeInstanceOf(CommitFailedError);
    expect(texts()).toEqual(['a', 'c']);
  });

  it('tells every work of a commit that failed, and works again afterwards', async () => {
    const commits = new CommitQueue(database);
    const insert = database.prepare('INSERT INTO notes VALUES (?)');
    const pages = Number(database.pragma('page_count', { simple: true }));
    database.pragma(`max_page_count = ${pages}`);
    const big = 'x'.repeat(1_000_000);
    const outcomes = await Promise.allSettled([
      commits.enqueue(() => insert.run('a')),
      commits.enqueue(() => insert.run(big)),
    ]);
    // A full store may take the whole transaction or the one work; what settled well is there, nothing else.
    const kept = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [['a', big][index]] : []));
    expect(texts()).toEqual(kept);
    expect(outcomes[1].status).toBe('rejected');
    database.pragma('max_page_count = 1000000');
    await commits.enqueue(() => insert.run('z'));
    expect(texts()).toContain('z');
    expect(commits.lastError).toBeNull();
  });

  it('refuses a store that a newer version wrote, and leaves it as it is', () => {
    database.prepare("UPDATE schema_versions SET version = 9 WHERE domain = 'notes'").run();
    expect(() => openDatabase(join(folder, 'store.db'), [notes])).toThrow(NewerStoreError);
    expect(database.prepare('SELECT version FROM schema_versions').pluck().get()).toBe(9);
  });
});
