import { z } from 'zod';
import { redactAndBound } from '../../redaction/index.js';
import type { FailureIdentity } from '../../kernel/validation-evidence.js';
import { isDeciding, lastContentChange, purposeOf, type FinishedCall } from '../../validation/index.js';
import { isOpenCheckFailure } from '../feedback/open-failures.js';
import { boundedList, boundedListSchema, UNKNOWN_LIST, type BoundedList } from './bounded-list.js';
import type { TaskHistory } from '../evidence/task-history.js';
import type { HandoffFacts } from './handoff-facts.js';

const MAX_FAILURES = 5;
const FAILURE_CHARACTERS = 240;

/** How the task stands on validation (spec 06 §8). */
export type BriefValidation = {
  readonly status: 'passed' | 'failed' | 'not_run' | 'not_requested' | 'unavailable';
  readonly reason_code?: string;
  /** What fails now, by name and place, newest check first. */
  readonly open_failures: BoundedList<string>;
};

export const briefValidationSchema = z.strictObject({
  status: z.enum(['passed', 'failed', 'not_run', 'not_requested', 'unavailable']),
  reason_code: z.string().optional(),
  open_failures: boundedListSchema(z.string()),
});

/** The standing: a failure that nothing resolved, else what the newest deciding run after the last change came to. */
export function briefValidation({ history, validation }: HandoffFacts): BriefValidation {
  if (validation.status === 'not_requested') return { status: 'not_requested', reason_code: 'validation_not_requested', open_failures: UNKNOWN_LIST };
  if (history === null) return { status: 'unavailable', reason_code: 'continuation_unavailable', open_failures: UNKNOWN_LIST };
  const failing = openCheckFailures(history);
  const open_failures = namedFailures(failing);
  if (failing.length > 0) return { status: 'failed', open_failures };
  if (validation.status === 'unavailable') return { status: 'unavailable', reason_code: validation.reasonCode, open_failures };
  const reason = notPassedBecause(history);
  return reason === null ? { status: 'passed', open_failures } : { status: 'not_run', reason_code: reason, open_failures };
}

/** The checks of this project that fail now in the whole retained tail, newest first. */
export function openCheckFailures({ snapshot, calls }: TaskHistory): readonly FinishedCall[] {
  const { project } = snapshot.session;
  return calls
    .filter((call) => isOpenCheckFailure(call) && (call.event.resolved_project === null || call.event.resolved_project === project))
    .toReversed();
}

/** Why nothing passed, in one code; null when the newest deciding run passed and began after the last change. */
function notPassedBecause({ calls, validation }: TaskHistory): string | null {
  const { events, reason } = validation;
  if (reason !== null) return reason;
  const latest = events.findLast(isDeciding);
  if (latest === undefined) return 'only_expected_results';
  if (latest.evidence.status !== 'passed') return 'validation_inconclusive';
  const lastChange = lastContentChange(calls);
  const isCurrent = latest.startSequence !== null && latest.startSequence > (lastChange ?? -1);
  return isCurrent ? null : 'validation_stale';
}

/** A name for everything that fails: each test and each diagnostic, and checks that told of none by their own. */
function namedFailures(failing: readonly FinishedCall[]): BoundedList<string> {
  const names: string[] = [];
  let total = 0;
  for (const { event } of failing) {
    const evidence = event.validation_output_summary?.evidence;
    const told = evidence?.failures ?? [];
    total += Math.max(1, evidence?.failures_total ?? 0);
    if (told.length === 0) names.push(event.assertion_name ?? `${event.tool_name} (${purposeOf(event) ?? 'check'})`);
    else names.push(...told.map(nameOf));
  }
  return boundedList(names.map((name) => redactAndBound(name, FAILURE_CHARACTERS).text), MAX_FAILURES, total);
}

function nameOf({ name, file, line }: FailureIdentity): string {
  if (file === null) return name;
  return line === null ? `${name} (${file})` : `${name} (${file}:${line})`;
}
