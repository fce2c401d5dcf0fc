import type { JsonObject } from '../../protocol/tool-result.js';
import { printableLine } from './printable.js';
import type { Style } from './style.js';
import { factLines } from './text-table.js';
import { counted, utcTime } from './units.js';

interface CheckEvent {
  readonly tool_name: string;
  readonly kind: string;
  readonly status: string;
  readonly exit_code: number | null;
  readonly finished_at: number | null;
  readonly failures: readonly { readonly name: string; readonly file: string | null; readonly line: number | null }[];
  readonly failures_total: number;
}

interface PlainCheck {
  readonly tool_name: string;
  readonly purpose: string | null;
  readonly assertion_name: string | null;
  readonly outcome: string;
  readonly exit_code: number | null;
  readonly finished_at: number | null;
}

interface Standing {
  readonly status?: string;
  readonly reason?: string;
  readonly latest_status?: string;
  readonly successes?: number;
  readonly failures?: number;
  readonly expected_results?: number;
  readonly evidence_gaps?: number;
  readonly resolved_failures?: { readonly count: number };
  readonly unresolved_failures?: { readonly count: number; readonly events: readonly CheckEvent[] };
  readonly current_evidence?: { readonly status: string };
  readonly checks_outside_validators?: { readonly items: readonly PlainCheck[]; readonly total: number };
  readonly validation_delta?: { readonly comparison: { readonly status: string; readonly reason_code?: string }; readonly counts: Readonly<Record<string, number>> };
}

interface Evidence {
  readonly session_id: string;
  readonly continuation_feedback: {
    readonly attempt?: {
      readonly boundary: { readonly source: string };
      readonly event_range: { readonly event_count: number; readonly complete: boolean };
      readonly activity: Readonly<Record<string, number>>;
      readonly changes: { readonly paths: readonly string[]; readonly total: number };
    };
  };
  readonly ledger: { readonly events_observed: number; readonly first_retained_sequence: number };
  readonly closeout: {
    readonly evidence_history?: { readonly status: string };
    readonly evidence_integrity?: { readonly status: string };
    readonly validation?: Standing;
    readonly jobs: { readonly status: string; readonly active_count?: number; readonly unsuccessful_count?: number; readonly recovery_state: string };
    readonly checkpoints: { readonly status: string; readonly total?: number };
  };
  readonly handoff_brief: { readonly external_observations: { readonly status: string; readonly total: number | null; readonly unknown_count: number | null } };
}

/** What the events of a Session prove, for people: the standing, what fails now, then what else ran. */
export function renderEvidence(output: JsonObject, style: Style): string {
  const { session_id: session, continuation_feedback: feedback, ledger, closeout, handoff_brief: brief } = output as unknown as Evidence;
  const standing = closeout.validation ?? {};
  const { attempt } = feedback;
  const facts = factLines(
    [
      ['session', session],
      ['events', eventsText(ledger)],
      ['attempt', attempt === undefined ? 'not known' : attemptText(attempt)],
      ['activity', attempt === undefined ? null : countsText(attempt.activity)],
      ['changed', attempt === undefined ? null : changesText(attempt.changes)],
      ['history', [closeout.evidence_history?.status, closeout.evidence_integrity && `integrity ${closeout.evidence_integrity.status}`].filter(Boolean).join(', ').replaceAll('_', ' ')],
      ['validation', standingText(standing)],
      ['since last change', standing.current_evidence?.status.replaceAll('_', ' ')],
      ['against run before', deltaText(standing)],
      ['Jobs', jobsText(closeout.jobs)],
      ['checkpoints', closeout.checkpoints.total === undefined ? null : String(closeout.checkpoints.total)],
      ['reported from outside', reportsText(brief.external_observations)],
    ],
    style,
  );
  return [facts, ...failing(standing, style), ...outside(standing, style)].join('\n');
}

function eventsText({ events_observed: observed, first_retained_sequence: evicted }: Evidence['ledger']): string {
  return `${observed}${evicted > 0 ? `, ${evicted} of these have left the bounded record` : ''}`;
}

function attemptText({ boundary, event_range: range }: NonNullable<Evidence['continuation_feedback']['attempt']>): string {
  return `${counted(range.event_count, 'event')} since ${boundary.source.replaceAll('_', ' ')}${range.complete ? '' : ', its begin is no longer known'}`;
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  return shown.map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`).join(', ');
}

function changesText({ paths, total }: { readonly paths: readonly string[]; readonly total: number }): string {
  const named = paths.slice(0, 3).join(' ');
  return total > 3 ? `${named} and ${total - 3} more` : named;
}

function standingText(standing: Standing): string {
  const { status, reason } = standing;
  const counts = countsText({
    passed: standing.successes ?? 0,
    failed: standing.failures ?? 0,
    resolved: standing.resolved_failures?.count ?? 0,
    as_expected: standing.expected_results ?? 0,
    gaps: standing.evidence_gaps ?? 0,
  });
  return [(status ?? standing.latest_status ?? '').replaceAll('_', ' '), reason?.replaceAll('_', ' '), counts].filter(Boolean).join(', ');
}

function deltaText({ validation_delta: delta }: Standing): string | null {
  if (delta?.comparison.status !== 'available') return null;
  return Object.entries(delta.counts)
    .map(([name, count]) => `${name.replace('_delta', '')} ${count > 0 ? `+${count}` : count}`)
    .join(', ');
}

function jobsText(jobs: Evidence['closeout']['jobs']): string {
  if (jobs.status !== 'available') return 'not known';
  return `${jobs.active_count ?? 0} active, ${jobs.unsuccessful_count ?? 0} ended without success`;
}

function reportsText({ status, total, unknown_count: unknown }: Evidence['handoff_brief']['external_observations']): string | null {
  if (status !== 'available') return null;
  return total === null || total === 0 ? null : `${counted(total, 'claim')}, ${unknown ?? 0} of unknown outcome`;
}

function failing({ unresolved_failures: open }: Standing, style: Style): string[] {
  if (open === undefined || open.events.length === 0) return [];
  const lines = open.events.flatMap((event) => [
    `  ${printableLine([event.tool_name, event.kind, event.exit_code === null ? null : `exit ${event.exit_code}`, timeOf(event)].filter((part) => part !== null).join(', '))}`,
    ...event.failures.map(({ name, file, line }) => `    ${style.bad(printableLine(name))}${file === null ? '' : printableLine(` ${file}${line === null ? '' : `:${line}`}`)}`),
    ...(event.failures_total > event.failures.length ? [`    and ${event.failures_total - event.failures.length} more`] : []),
  ]);
  return ['', style.bold('Fails'), ...lines];
}

function outside({ checks_outside_validators: checks }: Standing, style: Style): string[] {
  if (checks === undefined || checks.items.length === 0) return [];
  const lines = checks.items.map((check) =>
    printableLine(`  ${check.outcome}: ${check.assertion_name ?? `${check.tool_name} (${check.purpose ?? 'check'})`}, ${timeOf(check)}`),
  );
  return ['', style.bold('Ran outside the validators'), ...lines];
}

function timeOf({ finished_at: at }: { readonly finished_at: number | null }): string {
  return at === null ? 'time not known' : utcTime(at * 1_000);
}
