import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { statePaths } from '../protocol/state-folder.js';
import type { ToolDefinition } from '../protocol/tool-definition.js';
import { failure } from '../protocol/tool-result.js';
import { compose, LEDGER_SCHEMAS } from './compose.js';
import { parseConfig } from './config.js';
import { openDatabase } from './storage/open-database.js';

/**
 * Every definition of this build, without a daemon: the house is put together over a
 * throw-away state folder and a Runner that is never there. The build writes
 * `catalog.json`, the commands and the pages from this.
 */
export async function toolDefinitions(): Promise<readonly ToolDefinition[]> {
  const folder = mkdtempSync(join(tmpdir(), 'wc-definitions-'));
  const ledger = openDatabase(join(folder, 'ledger.db'), LEDGER_SCHEMAS);
  const composition = compose({
    ledger,
    auditPath: join(folder, 'audit.db'),
    runner: {
      call: async () => ({ failure: failure('runner_unavailable', 'there is no Runner while definitions are read') }),
      state: null,
      onInstance: () => undefined,
    },
    config: parseConfig(null, 'config.json'),
    configuration: {
      path: join(folder, 'config.json'),
      apply: async () => ({ failure: failure('runner_unavailable', 'there is no Runner while definitions are read') }),
    },
    log: pino({ enabled: false }),
    ownerUid: 0,
    home: folder,
    authorityMode: undefined,
    processStatus: { compact: () => ({}), full: () => ({}) },
    processNumbers: { startedAt: new Date(), callsInFlight: () => 0, paths: statePaths(folder) },
  });
  try {
    return composition.definitions();
  } finally {
    for (const domain of composition.domains) await domain.close?.();
    ledger.close();
    rmSync(folder, { recursive: true });
  }
}
