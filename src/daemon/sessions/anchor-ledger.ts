import { setImmediate } from 'node:timers/promises';
import type { CommitQueue } from '../storage/commit-queue.js';
import type { AnchorStore } from './anchor-store.js';
import type { ChainAdoption } from './chain-adoption.js';
import type { Ledger } from './ledger.js';
import { anchorDigest, anchorLine, entryLine, type AnchorList } from './ledger-anchor.js';
import type { LedgerScan } from './ledger-scan.js';
import type { LedgerAnchor } from './ledger-verification.js';

const SESSIONS_PER_STEP = 500;

export interface AnchorParts {
  readonly scan: LedgerScan;
  readonly ledger: Pick<Ledger, 'head'>;
  readonly anchors: AnchorStore;
  readonly adoption: ChainAdoption;
  readonly commits: CommitQueue;
  /** Unix seconds. */
  readonly now: () => number;
}

/**
 * Makes an anchor (spec 00, decision 41): the list of every Session's history under one
 * digest. Each entry is true at a moment while the list is made, and says nothing of any
 * other entry, so that no snapshot of the whole is needed. Sessions that cannot be read
 * are left out.
 *
 * @throws CommitFailedError
 */
export async function anchorLedger({ scan, ledger, anchors, adoption, commits, now }: AnchorParts): Promise<LedgerAnchor> {
  await adoption.run();
  commits.flush();
  const lines: string[] = [];
  let after = 0;
  for (;;) {
    const page = scan.sessions(after, SESSIONS_PER_STEP);
    for (const { number, sessionId } of page) {
      after = number;
      const head = ledger.head(sessionId);
      if (head === null || head.chain === null) continue;
      lines.push(entryLine({ sessionId, eventsObserved: head.eventsObserved, head: head.chain.head.toString('hex') }));
    }
    if (page.length < SESSIONS_PER_STEP) break;
    await setImmediate();
  }
  const list: AnchorList = { madeAt: now(), sessions: lines.length, entries: lines.join('') };
  await commits.enqueue(() => anchors.add(anchorDigest(list), list));
  return { line: anchorLine(list), madeAt: list.madeAt, sessions: list.sessions };
}
