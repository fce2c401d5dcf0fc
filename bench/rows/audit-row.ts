import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createAuditDomain } from '../../src/daemon/audit/index.js';
import type { CallRecord } from '../../src/daemon/kernel/ports.js';
import { FACTS, OWNER, PROJECT } from '../recorded-calls.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';

/** As many rows as wait at most, so that none is lost. */
const ROUND_ROWS = 1_000;
const ROUNDS = 40;
const WARM_UP = 5;

/** What a row costs the process that answers calls: made, redacted, written, all after the answer. */
export const auditRow: Row = {
  name: 'audit-row',
  what: 'one audit row inside the process: queued before the answer has left, made and written after it',
  measure: async ({ folder, defer }) => {
    const audit = createAuditDomain({
      path: join(folder, 'audit.db'),
      now: () => Date.now(),
      randomUuid: randomUUID,
      randomBytes,
      log: { info: () => undefined, warn: () => undefined },
      retention: { days: 90, maxRows: 10_000_000 },
      workerEntry: new URL('../../dist/daemon/audit/audit-worker.js', import.meta.url),
    });
    defer(() => audit.close());
    const close = audit.routes.find(({ path }) => path === '/api/audit/close');
    if (close === undefined || !('handle' in close)) throw new Error('the audit has no route that waits for its rows');
    const queued: number[] = [];
    const whole: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const began = performance.now();
      for (let row = 0; row < ROUND_ROWS; row += 1) audit.record(CALL);
      const handed = performance.now();
      // It answers after every row before it was written.
      await close.handle({ session_id: 'nobody' }, OWNER);
      if (round < 0) continue;
      queued.push((handed - began) / ROUND_ROWS);
      whole.push((performance.now() - began) / ROUND_ROWS);
    }
    return [
      { label: 'a row', value: percentile(whole, 0.5), unit: 'ms', budget: 0.06 },
      { label: 'of that before the answer', value: percentile(queued, 0.5), unit: 'ms', budget: 0.002 },
    ];
  },
};

const CALL: CallRecord = {
  toolName: FACTS.name,
  facts: FACTS,
  principal: OWNER,
  adapter: 'mcp_2026',
  window: null,
  affinity: { header: null, headerAlias: null, query: null },
  endpoint: '/api/tools/{name}',
  outcome: 'success',
  result: { success: true, output: {} },
  reachedHandler: true,
  outcomeFacts: {},
  rawArguments: { items: [{ path: 'src/values.ts' }] },
  envelope: { present: {}, ackCount: 0, contextKeys: [], controlBefore: null, controlAfterSuccess: null },
  project: PROJECT,
  recorder: null,
  permissionRequestId: null,
  startedAtMs: Date.now(),
  endedAtMs: Date.now(),
  durationMs: 3,
  requestBytes: 200,
  httpStatus: 200,
  resultBytes: 900,
  responseStreaming: false,
  handedAtMs: Date.now(),
};
