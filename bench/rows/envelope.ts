import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createBoardDomain } from '../../src/daemon/board/index.js';
import type { CallRequest } from '../../src/daemon/kernel/call-request.js';
import { takeOffEnvelope } from '../../src/daemon/kernel/take-off-envelope.js';
import { newSession, openLedger, OWNER } from '../recorded-calls.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';

const ROUNDS = 5_000;
const OPEN = 4;

/** What a recorder and acknowledgements cost a call inside the process, beyond the evidence that it leaves. */
export const envelope: Row = {
  name: 'envelope',
  what: `the envelope of one call inside the process: read, ${OPEN} acknowledgements taken, attention projected`,
  measure: async ({ folder, defer }) => {
    const { domain, database } = openLedger(join(folder, 'ledger.db'));
    defer(() => database.close());
    const sessionId = await newSession(domain);
    const board = createBoardDomain({
      sessions: domain,
      messagesPerSession: 200,
      now: () => Math.floor(Date.now() / 1000),
      monotonicMs: () => performance.now(),
      randomBytes,
    });
    const found = domain.lookUp(sessionId, OWNER);
    if (found.found !== 'session') throw new Error('the Session is retained');
    const ids: string[] = [];
    for (let posted = 0; posted < OPEN; posted += 1) ids.push(await postAsking(domain, sessionId, posted));
    const request = { arguments: {}, adapter: 'cli', recordingSessionId: null, envelope: { record: sessionId, ack: ids } } as unknown as CallRequest;
    const samples: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = performance.now();
      const taken = takeOffEnvelope(request);
      const ack = await board.acknowledge(found.session, { ids: taken.ack ?? [], ref: null });
      board.attention(found.session, ack);
      samples.push(performance.now() - begun);
    }
    return [{ label: 'p50', value: percentile(samples.slice(ROUNDS / 10), 0.5), unit: 'ms', budget: 0.1 }];
  },
};

async function postAsking(domain: ReturnType<typeof openLedger>['domain'], sessionId: Parameters<typeof domain.boards.mutate>[0], number: number): Promise<string> {
  const id = `wc_msg_${String(number).padStart(16, '0')}`;
  await domain.boards.mutate(sessionId, (board) => {
    board.append({
      message_id: id,
      session_id: sessionId,
      created_at: 1,
      kind: 'guidance',
      status: 'open',
      priority: 'normal',
      message: 'mind the gap',
      tags: [],
      reply_to: null,
      resolved_at: null,
      resolution: null,
      requires_ack: true,
    });
    return { changed: null };
  });
  return id;
}
