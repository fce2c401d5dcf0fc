import { failure, type Failure } from '../../protocol/tool-result.js';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import type { ExternalReport } from './external-report.js';
import { isReplay, type ReportLimits } from './report-rules.js';
import type { ReportStore } from './store.js';

export interface RecordParts {
  readonly store: ReportStore;
  readonly commits: CommitQueue;
  readonly limits: ReportLimits;
  /** Unix seconds. */
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

/** A stored report, and whether this call stored it. */
export interface Recorded {
  readonly report: ExternalReport;
  readonly inserted: boolean;
}

/**
 * Stores a report once under its identity. A replay is answered before any bound is looked
 * at, so that a full store refuses nobody what it holds already.
 */
export async function recordReport(
  { store, commits, limits, now, onFault }: RecordParts,
  given: Omit<ExternalReport, 'recordedAt'>,
): Promise<Recorded | { readonly failure: Failure }> {
  // An object, since what a callback assigns to a variable is not seen outside of it.
  const outcome: { decided?: Recorded | { readonly failure: Failure } } = {};
  try {
    await commits.enqueue(() => {
      outcome.decided = decide({ store, limits, now }, given);
    });
  } catch (error) {
    if (!(error instanceof CommitFailedError)) throw error;
    onFault(error);
    // What was written and then not confirmed may be there; what never came that far is not.
    const { decided } = outcome;
    return { failure: decided !== undefined && 'inserted' in decided && decided.inserted ? uncertain() : storeUnavailable() };
  }
  if (outcome.decided === undefined) throw new Error('a commit settled without its work');
  return outcome.decided;
}

/** Runs inside of a commit, so that nothing comes between the look and the row. */
function decide(
  { store, limits, now }: Pick<RecordParts, 'store' | 'limits' | 'now'>,
  given: Omit<ExternalReport, 'recordedAt'>,
): Recorded | { readonly failure: Failure } {
  const stored = store.find(given);
  if (stored !== null) return isReplay(stored, given) ? { report: stored, inserted: false } : { failure: conflict() };
  const counts = store.counts(given.sessionId);
  if (counts.ofSession >= limits.perSession) return { failure: full('session', limits) };
  if (counts.total >= limits.total) return { failure: full('total', limits) };
  const report = { ...given, recordedAt: now() };
  store.insert(report);
  return { report, inserted: true };
}

function conflict(): Failure {
  return failure(
    'external_observation_conflict',
    'another report was recorded under that adapter_id and event_id; an identity is never used twice',
    { state_changed: false },
  );
}

function full(bound: 'session' | 'total', limits: ReportLimits): Failure {
  return failure(
    'external_observation_capacity',
    bound === 'session' ? `a Session keeps ${limits.perSession} external reports, and this one has as many` : `the store keeps ${limits.total} external reports, and is full`,
    { bound, state_changed: false },
  );
}

function uncertain(): Failure {
  return failure(
    'external_observation_storage_uncertain',
    'it is not known whether the report was stored; send it again under the same identity',
    { state_changed: null, retry_same_event_identity: true },
  );
}

/** Nothing can be read or written at the moment. */
export function storeUnavailable(): Failure {
  return failure('external_observation_store_unavailable', 'the store of external reports cannot be used; see the daemon’s log', { state_changed: false });
}
