import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER_SCHEMAS } from '../../src/daemon/compose.js';
import { eventRow } from '../../src/daemon/sessions/event-row.js';
import { migrate } from '../../src/daemon/storage/migrations.js';

describe('docs/ledger-format.md', () => {
  const database = new SqliteDatabase(':memory:');
  let page = '';

  beforeAll(async () => {
    migrate(database, LEDGER_SCHEMAS);
    page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'ledger-format.md'), 'utf8');
  });
  afterAll(() => {
    database.close();
  });

  it('names every table and every column', () => {
    const columns = database
      .prepare<[], { table: string; column: string }>(
        `SELECT m.name AS "table", c.name AS "column"
         FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
      )
      .all();
    const names = new Set(columns.flatMap(({ table, column }) => [table, column]));
    expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('names every member of an event', () => {
    expect(Object.keys(eventRow.shape).filter((member) => !page.includes(`\`${member}\``))).toEqual([]);
  });
});
