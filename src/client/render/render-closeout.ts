import type { JsonObject } from '../../protocol/tool-result.js';
import { printableLine } from './printable.js';
import { changeLines } from './render-changes.js';
import type { GitView } from './render-workspace.js';
import { gitPosition } from './render-workspace.js';
import type { Style } from './style.js';
import { textOf } from './text-of.js';
import { factLines } from './text-table.js';
import { utcTime } from './units.js';

interface Reason {
  readonly reason: string;
  readonly [detail: string]: unknown;
}

/** A call that a reason names, as the report gives it. */
interface NamedCall {
  readonly tool_name: string;
  readonly error_kind: string | null;
  readonly exit_code: number | null;
  /** Unix seconds. */
  readonly finished_at: number | null;
}

interface Closeout {
  readonly session_id: string;
  readonly project: string | null;
  readonly lifecycle: string;
  readonly task_outcome: { readonly status: 'pass' | 'warn' | 'fail' };
  readonly hard_blockers: readonly Reason[];
  readonly advisories: readonly Reason[];
  readonly evidence_history: { readonly status: string };
  readonly evidence_integrity: { readonly status: string };
  readonly informational_notes: readonly string[];
  readonly suggested_next_actions: readonly string[];
  readonly workspace: JsonObject;
  readonly hygiene: JsonObject;
  readonly validation: { readonly status?: string; readonly reason?: string };
  readonly facts?: { readonly tool_calls: number; readonly passed: number; readonly failed: number; readonly resolved: number };
}

/** The report on a task: the judgement first, then what it rests on. */
export function renderCloseout(output: JsonObject, style: Style): string {
  const report = output as unknown as Closeout;
  const { status } = report.task_outcome;
  const painted = status === 'pass' ? style.good(status) : status === 'warn' ? style.warn(status) : style.bad(status);
  const facts = report.facts;
  return [
    `${style.bold('Task outcome:')} ${painted}`,
    ...report.hard_blockers.flatMap((reason) => reasonLines(`  ${style.bad('blocks')}  `, reason)),
    ...report.advisories.flatMap((reason) => reasonLines(`  ${style.warn('advises')} `, reason)),
    factLines(
      [
        ['session', `${report.session_id}, ${report.lifecycle}`],
        ['project', report.project],
        ['evidence', `history ${report.evidence_history.status}, integrity ${report.evidence_integrity.status}`],
        ['calls', facts ? `${facts.tool_calls}, ${facts.passed} passed, ${facts.failed} failed, ${facts.resolved} of these resolved` : null],
        ['checks', [report.validation.status, report.validation.reason].filter(Boolean).join(', ')],
        ['workspace', [textOf(report.workspace, 'status'), gitPosition((report.workspace['git'] ?? null) as GitView | null)].filter(Boolean).join(', ')],
        ['hygiene', textOf(report.hygiene, 'status').replaceAll('_', ' ')],
        ...report.suggested_next_actions.map((action) => ['next', action] as const),
        ...report.informational_notes.map((note) => ['note', note] as const),
      ],
      style,
    ),
    ...hygieneLines(report.hygiene),
    // The files and the sums; the lines themselves are what `wc changes` is for.
    ...(report.workspace['counts'] === undefined ? [] : changeLines({ ...report.workspace, hunks: null, more_hunks: false }, style)),
  ].join('\n');
}

/** How many findings are named; the check itself names more. */
const NAMED_FINDINGS = 10;

/** What lies around, by name: a count alone helps nobody to clean up. */
function hygieneLines(hygiene: JsonObject): string[] {
  const findings = (hygiene['findings'] ?? []) as readonly { readonly kind: string; readonly path: string | null }[];
  const counts = Object.values((hygiene['counts'] ?? {}) as Record<string, number>);
  const left = counts.reduce((sum, count) => sum + count, 0) - Math.min(findings.length, NAMED_FINDINGS);
  return [
    ...findings.slice(0, NAMED_FINDINGS).map(({ kind, path }) => `  ${kind.replaceAll('_', ' ')}: ${printableLine(path ?? '')}`),
    ...(left > 0 ? [`  and ${left} more: wc check-workspace-hygiene`] : []),
  ];
}

/** `validation_not_run (reason_code=no_validation_tool_invoked)`, and a line below for each call that it names. */
function reasonLines(margin: string, { reason, newest, ...detail }: Reason): string[] {
  const said = Object.entries(detail).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const calls = Array.isArray(newest) ? (newest as NamedCall[]) : [];
  return [
    `${margin}${printableLine(said.length === 0 ? reason : `${reason} (${said.join(', ')})`)}`,
    ...calls.map((call) => `           ${printableLine(callText(call))}`),
  ];
}

/** `run_process, command_exit_nonzero, exit 1, 2026-01-02T03:04:05Z`. */
function callText({ tool_name: tool, error_kind: error, exit_code: exit, finished_at: finished }: NamedCall): string {
  return [
    tool,
    error,
    exit === null ? null : `exit ${exit}`,
    finished === null ? null : utcTime(finished * 1_000),
  ]
    .filter((part) => part !== null)
    .join(', ');
}
