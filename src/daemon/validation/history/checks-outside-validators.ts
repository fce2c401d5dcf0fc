import type { JsonObject } from '../../../protocol/tool-result.js';
import { isCheck, isValidator, purposeOf } from './check-identity.js';
import { lastContentChange } from './content-changes.js';
import type { FinishedCall } from './finished-calls.js';

/** How many checks are named; the newest are. */
const MAX_LISTED = 20;

/** A test, build or other check that was run as a plain command (spec 00, decision 40). */
export interface PlainCheck {
  readonly event_id: string;
  readonly tool_name: string;
  readonly purpose: string | null;
  readonly assertion_name: string | null;
  readonly outcome: 'passed' | 'failed' | 'expected' | 'undecided' | 'denied';
  readonly exit_code: number | null;
  readonly finished_at: number | null;
  /** Whether a later pass of the same check made a failure history. */
  readonly resolved: boolean;
  /** Whether it started after the last change of content; null when that cannot be told. */
  readonly after_last_change: boolean | null;
}

/** Checks that commands ran, oldest first. They are facts beside the validators' evidence, never in its place. */
export function plainChecks(calls: readonly FinishedCall[]): readonly PlainCheck[] {
  const lastChange = lastContentChange(calls);
  return calls
    .filter(({ event }) => event.shell_like && isCheck(event) && !isValidator(event))
    .map(({ event, verdict, resolvedBy, startSequence }) => ({
      event_id: event.event_id,
      tool_name: event.tool_name,
      purpose: purposeOf(event),
      assertion_name: event.assertion_name ?? null,
      outcome: OUTCOMES[verdict],
      exit_code: event.exit_code,
      finished_at: event.finished_at,
      resolved: resolvedBy !== null,
      after_last_change: lastChange === null ? true : startSequence === null ? null : startSequence > lastChange,
    }));
}

const OUTCOMES = {
  passed: 'passed',
  gap: 'undecided',
  unexpected_success: 'passed',
  expected: 'expected',
  admitted: 'undecided',
  failure: 'failed',
  mismatch: 'failed',
  harmless_failure: 'denied',
} as const;

/** The list as outputs show it, bounded. */
export function plainChecksView(checks: readonly PlainCheck[]): JsonObject {
  const listed = checks.slice(-MAX_LISTED);
  return {
    items: listed.map((check) => ({ ...check })),
    total: checks.length,
    returned: listed.length,
    truncated: listed.length < checks.length,
  };
}
