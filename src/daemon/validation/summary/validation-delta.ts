import type { FailureIdentity, ValidationEvidence } from '../../kernel/validation-evidence.js';
import type { JsonObject } from '../../../protocol/tool-result.js';
import { failureDigest } from '../failure-digest.js';
import type { ValidationEvent } from './validation-event.js';

const MAX_LISTED = 20;

type DeltaReason =
  | 'validation_not_requested'
  | 'no_previous_validation'
  | 'insufficient_scope_identity'
  | 'validation_scope_changed'
  | 'current_evidence_incomplete'
  | 'previous_evidence_incomplete'
  | 'parser_identity_unavailable'
  | 'parser_changed';

/** What changed between two validations; `comparison` says whether they could be compared. */
export type ValidationDelta = {
  readonly comparison: {
    readonly status: 'available' | 'unavailable';
    readonly reason_code?: DeltaReason;
    readonly current_event_id: string | null;
    readonly previous_event_id: string | null;
    readonly scope_identity: string | null;
  };
  readonly counts: JsonObject;
  readonly failures: JsonObject;
};

/** The newest validation against the one before it of the same kind and tool, no deeper (spec 06 §5). */
export function validationDelta(events: readonly ValidationEvent[]): ValidationDelta {
  const current = events.at(-1) ?? null;
  const previous =
    current === null
      ? null
      : (events.slice(0, -1).findLast(({ event, evidence }) => event.tool_name === current.event.tool_name && evidence.kind === current.evidence.kind) ?? null);
  const reason = reasonAgainst(current, previous);
  const ids = { current_event_id: current?.event.event_id ?? null, previous_event_id: previous?.event.event_id ?? null };
  const scope = current?.evidence.scope_identity ?? null;
  if (reason !== null || current === null || previous === null) return unavailable(reason ?? 'no_previous_validation', ids, scope);
  return {
    comparison: { status: 'available', ...ids, scope_identity: scope },
    counts: countsDelta(current.evidence, previous.evidence),
    failures: failuresDelta(current.evidence, previous.evidence),
  };
}

/** The delta of a caller that did not ask for validation. */
export const DELTA_NOT_REQUESTED: ValidationDelta = unavailable(
  'validation_not_requested',
  { current_event_id: null, previous_event_id: null },
  null,
);

/** Why the two cannot be compared; the first that holds. Null when they can. */
function reasonAgainst(current: ValidationEvent | null, previous: ValidationEvent | null): DeltaReason | null {
  if (current === null || previous === null) return 'no_previous_validation';
  if (current.evidence.scope_identity === null || previous.evidence.scope_identity === null) return 'insufficient_scope_identity';
  if (current.evidence.scope_identity !== previous.evidence.scope_identity) return 'validation_scope_changed';
  if (isIncomplete(current)) return 'current_evidence_incomplete';
  if (isIncomplete(previous)) return 'previous_evidence_incomplete';
  if (current.evidence.parser === null || previous.evidence.parser === null) return 'parser_identity_unavailable';
  return current.evidence.parser === previous.evidence.parser ? null : 'parser_changed';
}

/** Tests are complete with their summary; other kinds with their whole output. */
function isIncomplete({ evidence }: ValidationEvent): boolean {
  return evidence.evidence_reason_code !== 'complete_summary';
}

function countsDelta({ counts: now }: ValidationEvidence, { counts: before }: ValidationEvidence): JsonObject {
  const delta = (name: 'passed' | 'failed' | 'ignored' | 'total'): number => (now?.[name] ?? 0) - (before?.[name] ?? 0);
  return { passed_delta: delta('passed'), failed_delta: delta('failed'), ignored_delta: delta('ignored'), total_delta: delta('total') };
}

function failuresDelta(current: ValidationEvidence, previous: ValidationEvidence): JsonObject {
  // No test ran now: that nothing failed says nothing of what failed before.
  const withoutTests = current.kind === 'test' && current.counts?.total === 0 && previous.failures_total > 0;
  if (withoutTests || !areAllToldApart(current) || !areAllToldApart(previous)) return noFailures('unavailable', 'test_identity_unavailable');
  const now = failuresOf(current);
  const before = failuresOf(previous);
  const newly = [...now].flatMap(([digest, failure]) => (before.has(digest) ? [] : [failure]));
  const gone = [...before].flatMap(([digest, failure]) => (now.has(digest) ? [] : [failure]));
  const still = [...now].flatMap(([digest, failure]) => (before.has(digest) ? [failure ?? before.get(digest) ?? null] : []));
  const lists = { newly_failed: views(newly), resolved: views(gone), still_failing: views(still) };
  return {
    identity_status: 'available',
    ...lists,
    total_newly_failed: newly.length,
    total_resolved: gone.length,
    total_still_failing: still.length,
    list_truncated: newly.length + gone.length + still.length > Object.values(lists).reduce((listed, { length }) => listed + length, 0),
  };
}

function unavailable(
  reason: DeltaReason,
  ids: Pick<ValidationDelta['comparison'], 'current_event_id' | 'previous_event_id'>,
  scopeIdentity: string | null,
): ValidationDelta {
  return {
    comparison: { status: 'unavailable', reason_code: reason, ...ids, scope_identity: scopeIdentity },
    counts: { passed_delta: 0, failed_delta: 0, ignored_delta: 0, total_delta: 0 },
    failures: noFailures('unavailable', null),
  };
}

function noFailures(status: 'unavailable', reason: 'test_identity_unavailable' | null): JsonObject {
  return {
    identity_status: status,
    ...(reason === null ? {} : { identity_reason_code: reason }),
    newly_failed: [],
    resolved: [],
    still_failing: [],
    total_newly_failed: 0,
    total_resolved: 0,
    total_still_failing: 0,
    list_truncated: false,
  };
}

/** Whether each of a run's failures is told from the others, by its name or by its digest. */
function areAllToldApart({ failures, further_failures: further = [], failures_total: total }: ValidationEvidence): boolean {
  return failures.length + further.length >= total;
}

/** A run's failures by their digests; of those that are kept by nothing else, null. */
function failuresOf({ failures, further_failures: further = [] }: ValidationEvidence): ReadonlyMap<string, FailureIdentity | null> {
  const named = failures.map((failure) => [failureDigest(failure), failure] as const);
  return new Map<string, FailureIdentity | null>([...further.map((digest) => [digest, null] as const), ...named]);
}

function compare(one: FailureIdentity, other: FailureIdentity): number {
  return (
    order(one.kind, other.kind) || order(one.name, other.name) || order(one.file ?? '', other.file ?? '') || (one.line ?? 0) - (other.line ?? 0)
  );
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The first of those whose names are kept. */
function views(failures: readonly (FailureIdentity | null)[]): readonly JsonObject[] {
  const named = failures.filter((failure) => failure !== null).sort(compare);
  return named.slice(0, MAX_LISTED).map(({ kind, name, file, line }) => ({
    kind,
    name,
    ...(file === null ? {} : { file }),
    ...(line === null ? {} : { line }),
  }));
}
