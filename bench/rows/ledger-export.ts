import { join } from 'node:path';
import { EVENTS_EACH, largeLedger, SESSIONS, transferFigures } from '../large-ledger.js';
import type { Row } from '../row.js';

/** Whether an export streams: its memory has no part in the size of the ledger. */
export const ledgerExport: Row = {
  name: 'ledger-export',
  what: `export of ${SESSIONS.toLocaleString('en')} Sessions of ${EVENTS_EACH} events to a file`,
  measure: async (bench) => {
    const daemon = await largeLedger(bench);
    const file = join(bench.folder, 'ledger.json');
    return transferFigures(bench, daemon, ['ledger', 'export', file], file, { peakMegabytes: 300, msPerMegabyte: 150 });
  },
};
