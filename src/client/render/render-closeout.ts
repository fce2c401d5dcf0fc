import type { JsonObject } from '../../protocol/tool-result.js';
import { printableLine } from './printable.js';
import { changeLines } from './render-changes.js';
import type { GitView } from './render-workspace.js';
import { gitPosition } from './render-workspace.js';
import type { Style } from './style.js';
import { textOf } from './text-of.js';
import { factLines } from './text-table.js';

interface Reason {
  readonly reason: string;
  readonly [detail: string]: unknown;
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
    ...report.hard_blockers.map((reason) => `  ${style.bad('blocks')}  ${reasonText(reason)}`),
    ...report.advisories.map((reason) => `  ${style.warn('advises')} ${reasonText(reason)}`),
    factLines(
      [
        ['session', `${report.session_id}, ${report.lifecycle}`],
        ['project', report.project],
        ['evidence', `history ${report.evidence_history.status}, integrity ${report.evidence_integrity.status}`],
        ['calls', facts ? `${facts.tool_calls}, ${facts.passed} passed, ${facts.failed} failed, ${facts.resolved} of these resolved` : null],
        ['checks', [report.validation.status, report.validation.reason].filter(Boolean).join(', ')],
        ['workspace', [textOf(report.workspace, 'status'), gitPosition((report.workspace['git'] ?? null) as GitView | null)].filter(Boolean).join(', ')],
        ...report.suggested_next_actions.map((action) => ['next', action] as const),
        ...report.informational_notes.map((note) => ['note', note] as const),
      ],
      style,
    ),
    // The files and the sums; the lines themselves are what `wc changes` is for.
    ...(report.workspace['counts'] === undefined ? [] : changeLines({ ...report.workspace, hunks: null, more_hunks: false }, style)),
  ].join('\n');
}

/** `validation_not_run (reason_code=no_validation_tool_invoked)`. */
function reasonText({ reason, ...detail }: Reason): string {
  const said = Object.entries(detail).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return printableLine(said.length === 0 ? reason : `${reason} (${said.join(', ')})`);
}
