import type { JsonObject } from '../../protocol/tool-result.js';
import { printableLine } from './printable.js';
import type { Style } from './style.js';
import { counted } from './units.js';

interface List<Item> {
  readonly items: readonly Item[] | null;
  readonly total: number | null;
}

interface Excerpt {
  readonly excerpt: string;
  readonly truncated: boolean;
}

interface Note {
  readonly status: string;
  readonly superseded_by_message_id: string | null;
  readonly excerpt: string;
}

interface Report {
  readonly observed_tool: string;
  readonly reported_status: string;
  readonly exit_code: number | null;
}

/** The brief as outputs carry it, as far as the page shows it. */
interface Brief {
  readonly session: { readonly session_id: string; readonly lifecycle: string; readonly mode: string };
  readonly task: {
    readonly root_instruction: Excerpt | null;
    readonly latest_instruction: Excerpt | null;
    readonly decisions: List<Note>;
    readonly recent_progress: List<Note>;
  };
  readonly workspace: {
    readonly status: string;
    readonly reason_code?: string;
    readonly branch: string | null;
    readonly head: string | null;
    readonly dirty: boolean | null;
    readonly conflicted: boolean | null;
    readonly ahead: number | null;
    readonly behind: number | null;
  };
  readonly progress: {
    readonly state: string;
    readonly meaningful_tool_calls: number | null;
    readonly changes: List<string>;
    readonly recent_files: List<string>;
  };
  readonly validation: { readonly status: string; readonly reason_code?: string; readonly open_failures: List<string> };
  readonly external_observations: List<Report> & { readonly status: string; readonly reason_code?: string };
  readonly task_context: { readonly repeated_failure: { readonly identity: string; readonly count: number } | null };
  readonly attention: Readonly<Record<string, number | boolean | null>>;
  readonly next_actions: List<string>;
  readonly basis: { readonly complete: boolean; readonly reason_codes: readonly string[] };
}

/**
 * `read_session_handoff`, for people: the state first, then what was asked, what changed,
 * what fails, what is open, and what to do next. A part that holds nothing is left out; one
 * that is not known says so.
 */
export function renderHandoff(output: JsonObject, style: Style): string {
  const brief = output['handoff_brief'] as unknown as Brief;
  const project = output['project'] as string | null;
  return [
    ...headLines(brief, project, style),
    ...section('Asked', askedLines(brief), style),
    ...section(titled('Changed', brief.progress.changes), listLines(brief.progress.changes), style),
    ...section(titled('Read', brief.progress.recent_files), listLines(brief.progress.recent_files), style),
    ...section(titled('Fails', brief.validation.open_failures), failureLines(brief, style), style),
    ...section('Open', openLines(brief), style),
    ...section(titled('Decided', brief.task.decisions), noteLines(brief.task.decisions), style),
    ...section(titled('Progress', brief.task.recent_progress), noteLines(brief.task.recent_progress), style),
    ...section(titled('Reported from outside, unproven', brief.external_observations), reportLines(brief), style),
    ...section('Next', (brief.next_actions.items ?? []).map((action, index) => `${index + 1}. ${printableLine(action)}`), style),
  ].join('\n');
}

function headLines({ session, workspace, validation, progress, basis }: Brief, project: string | null, style: Style): string[] {
  return [
    `${style.bold('State:')} ${painted(progress.state, style)}`,
    style.dim([session.session_id, session.lifecycle, session.mode.replaceAll('_', ' '), project ?? 'no project'].map(printableLine).join(' · ')),
    `work tree ${workTreeText(workspace)} · validation ${withReason(validation)}`,
    ...(basis.complete ? [] : [style.warn(`incomplete: ${basis.reason_codes.map(words).join(', ')}`)]),
  ];
}

function painted(state: string, style: Style): string {
  const text = words(state);
  if (state === 'ready_to_continue') return style.good(text);
  return state === 'blocked' ? style.bad(text) : style.warn(text);
}

function workTreeText(workspace: Brief['workspace']): string {
  if (workspace.status !== 'available') return withReason(workspace);
  const state = workspace.conflicted === true ? 'conflicted' : workspace.dirty === true ? 'dirty' : 'clean';
  return [
    `${state} on ${printableLine(workspace.branch ?? '(detached)')} @ ${workspace.head?.slice(0, 8) ?? 'no commit yet'}`,
    ...(workspace.ahead ? [`${workspace.ahead} ahead`] : []),
    ...(workspace.behind ? [`${workspace.behind} behind`] : []),
  ].join(', ');
}

function withReason({ status, reason_code: reason }: { readonly status: string; readonly reason_code?: string }): string {
  return reason === undefined || reason === `validation_${status}` ? words(status) : `${words(status)} (${words(reason)})`;
}

function askedLines({ task }: Brief): string[] {
  const { root_instruction: root, latest_instruction: latest } = task;
  const lines = root === null ? [] : [excerptText(root)];
  return latest === null || latest.excerpt === root?.excerpt ? lines : [...lines, `latest: ${excerptText(latest)}`];
}

function excerptText({ excerpt, truncated }: Excerpt): string {
  return `${printableLine(excerpt)}${truncated ? ' …' : ''}`;
}

function listLines({ items }: List<string>): string[] {
  return (items ?? []).map(printableLine);
}

function failureLines({ validation, task_context: context }: Brief, style: Style): string[] {
  const lines = listLines(validation.open_failures).map((line) => style.bad(line));
  const repeated = context.repeated_failure;
  return repeated === null ? lines : [...lines, `failed ${repeated.count} times in the same way: ${printableLine(repeated.identity)}`];
}

const COUNTED: Readonly<Record<string, string>> = {
  recovering_jobs: 'recovering Job',
  blocking_jobs: 'active Job',
  terminal_pending_jobs: 'stopping Job',
  open_risks: 'risk',
  open_questions: 'question',
  open_todos: 'todo',
  open_guidance: 'message of guidance',
};

function openLines({ attention }: Brief): string[] {
  const counts = Object.entries(COUNTED);
  const open = counts.flatMap(([name, what]) => {
    const count = attention[name];
    if (typeof count !== 'number' || count === 0) return [];
    return [what === 'message of guidance' ? counted(count, what, 'messages of guidance') : counted(count, what)];
  });
  const unknown = counts.filter(([name]) => attention[name] === null).map(([name]) => words(name));
  return [
    ...(attention['workspace_conflict'] === true ? ['conflicts in the work tree'] : []),
    ...(open.length === 0 ? [] : [open.join(', ')]),
    ...(unknown.length === 0 ? [] : [`not known: ${unknown.join(', ')}`]),
  ];
}

function noteLines({ items }: List<Note>): string[] {
  return (items ?? []).map(({ excerpt, superseded_by_message_id: by }) => `${printableLine(excerpt)}${by === null ? '' : ' (superseded)'}`);
}

function reportLines({ external_observations: reports }: Brief): string[] {
  if (reports.status !== 'available') return reports.reason_code === 'store_unavailable' ? ['the store of reports could not be read'] : [];
  return (reports.items ?? []).map(({ observed_tool: tool, reported_status: status, exit_code: code }) =>
    printableLine(`${tool}: ${words(status)}${code === null || code === 0 ? '' : `, exit ${code}`}`),
  );
}

/** `Changed`, or `Changed (12 of 40)` where not all is shown. */
function titled(title: string, { items, total }: List<unknown>): string {
  const shown = items?.length ?? 0;
  return total === null || total === shown ? title : `${title} (${shown} of ${total})`;
}

function section(title: string, lines: readonly string[], style: Style): string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines.map((line) => `  ${line}`)];
}

function words(name: string): string {
  return printableLine(name.replaceAll('_', ' '));
}
