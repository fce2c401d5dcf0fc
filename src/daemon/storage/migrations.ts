import type { Database } from 'better-sqlite3';

/** Statements, or a function for a step that has to look at what is there before it adds to it. */
export type MigrationStep = string | ((database: Database) => void);

/** The tables of one domain: step `n` brings version `n - 1` to version `n`. */
export interface DomainSchema {
  readonly domain: string;
  readonly steps: readonly MigrationStep[];
}

/** A store that a newer version wrote; it is never touched. */
export class NewerStoreError extends Error {
  constructor(
    readonly domain: string,
    readonly found: number,
    readonly known: number,
  ) {
    super(
      `the store's "${domain}" tables have version ${found}, this wc knows ${known}: install the newer wc again`,
    );
    this.name = 'NewerStoreError';
  }
}

/**
 * Brings every domain's tables forward, each step in a transaction of its own
 * that can run but once, or refuses a store that is newer than this program.
 */
export function migrate(database: Database, schemas: readonly DomainSchema[]): void {
  database.exec(
    'CREATE TABLE IF NOT EXISTS schema_versions (domain TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT',
  );
  const versionOf = database
    .prepare<[string], number>('SELECT version FROM schema_versions WHERE domain = ?')
    .pluck();
  for (const { domain, steps } of schemas) {
    const found = versionOf.get(domain) ?? 0;
    if (found > steps.length) throw new NewerStoreError(domain, found, steps.length);
  }
  const setVersion = database.prepare(
    'INSERT INTO schema_versions (domain, version) VALUES (?, ?) ON CONFLICT (domain) DO UPDATE SET version = excluded.version',
  );
  for (const { domain, steps } of schemas) {
    for (let version = versionOf.get(domain) ?? 0; version < steps.length; version += 1) {
      database
        .transaction(() => {
          const step = steps[version] as MigrationStep;
          if (typeof step === 'string') database.exec(step);
          else step(database);
          setVersion.run(domain, version + 1);
        })
        .immediate();
    }
  }
}
