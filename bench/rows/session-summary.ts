import { join } from 'node:path';
import type { CallContext } from '../../src/daemon/kernel/call-context.js';
import type { SessionsDomain } from '../../src/daemon/sessions/index.js';
import type { SessionId } from '../../src/protocol/ids.js';
import { newSession, openLedger, recordCall } from '../recorded-calls.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { timed } from '../take-turns.js';

const EVENTS = 2_000;
const READS = 200;
const STARTS = 15;

/** What a look at a long Session costs the daemon; measured inside the process, as a JSON answer. */
export const sessionSummary: Row = {
  name: 'session-summary',
  what: `read_session_summary of a Session with ${EVENTS.toLocaleString('en')} events, and the first one after a start, which checks each row`,
  measure: async ({ folder }) => {
    const path = join(folder, 'ledger.db');
    const first = openLedger(path);
    const sessionId = await newSession(first.domain);
    for (let events = 1; events < EVENTS; events += 2) await recordCall(first.domain, sessionId);
    const reads: number[] = [];
    for (let round = 0; round < READS; round += 1) reads.push(await timed(() => summaryOf(first.domain, sessionId)));
    first.database.close();
    const firstReads: number[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      const { domain, database } = openLedger(path);
      firstReads.push(await timed(() => summaryOf(domain, sessionId)));
      database.close();
    }
    return [
      { label: 'p50', value: percentile(reads, 0.5), unit: 'ms', budget: 10 },
      { label: 'first after a start', value: percentile(firstReads, 0.5), unit: 'ms', budget: 50 },
    ];
  },
};

async function summaryOf(domain: SessionsDomain, sessionId: SessionId): Promise<void> {
  const tool = domain.tools.find(({ definition }) => definition.name === 'read_session_summary');
  if (tool === undefined) throw new Error('there is no read_session_summary');
  // The handler asks the call for its admitted Session, and for nothing else.
  const call = { session: { sessionId } } as unknown as CallContext;
  JSON.stringify((await tool.run({ session_id: sessionId, limit: 50 }, call)).result);
}
