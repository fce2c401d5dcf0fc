import { join } from 'node:path';
import { $ } from 'zx';
import { EVENTS_EACH, largeLedger, SESSIONS, transferFigures } from '../large-ledger.js';
import type { Row } from '../row.js';

/** Whether an import streams: its memory has no part in the size of the document. */
export const ledgerImport: Row = {
  name: 'ledger-import',
  what: `import of ${SESSIONS.toLocaleString('en')} Sessions of ${EVENTS_EACH} events from a file`,
  measure: async (bench) => {
    const file = join(bench.folder, 'ledger.json');
    const source = await largeLedger(bench);
    await $({ env: source.env, quiet: true })`${bench.wc} ledger export ${file}`;
    const empty = await bench.daemon();
    return transferFigures(bench, empty, ['ledger', 'import', file], file, { peakMegabytes: 300, msPerMegabyte: 150 });
  },
};
