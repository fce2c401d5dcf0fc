import type { JsonObject } from '../../protocol/tool-result.js';
import type { Style } from './style.js';
import { factLines, textTable } from './text-table.js';
import { byteSize, counted, duration, utcTime } from './units.js';

/** A Job in an answer, as far as people read it. */
export interface JobFacts {
  readonly job_id: string;
  readonly status: string;
  readonly terminal: boolean;
  readonly command_preview: string;
  /** The tool that started it. */
  readonly execution_source: string;
  readonly project: string;
  readonly created_at_ms: number;
  readonly duration_ms: number | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
}

/** All that a look at one Job says of it, as far as people read it. */
interface JobDetails extends JobFacts {
  readonly reason: string | null;
  readonly session_id: string | null;
  readonly cwd: string;
  readonly purpose: string;
  readonly started_at_ms: number | null;
  readonly finished_at_ms: number | null;
  readonly effective_timeout_secs: number;
  readonly stdout_lines: number;
  readonly stdout_bytes: number;
  readonly stderr_lines: number;
  readonly stderr_bytes: number;
  readonly descendants_ended?: number;
  readonly survivor_pids?: readonly number[];
  readonly published_after_disconnect?: boolean;
}

/** `list_jobs`, for people. */
export function renderJobs(output: JsonObject, style: Style): string {
  const jobs = output['jobs'] as unknown as readonly JobFacts[];
  if (jobs.length === 0) return 'There are no Jobs.';
  return textTable(
    jobs,
    [
      { title: 'job', value: ({ job_id }) => job_id },
      { title: 'state', value: jobState, paint: (text, job) => paintState(text, job, style) },
      { title: 'started', value: ({ created_at_ms }) => utcTime(created_at_ms) },
      { title: 'took', value: ({ duration_ms }) => (duration_ms === null ? '-' : duration(duration_ms)), align: 'right' },
      { title: 'project', value: ({ project }) => project },
      { title: 'command', value: commandOf },
    ],
    style,
  );
}

/** The beginning of its command; the daemon remembers none of a Job that its Runner has forgotten. */
function commandOf({ command_preview: preview, execution_source: source }: JobFacts): string {
  return preview === '' ? `(${source})` : preview;
}

/** One Job, for people, with what can be done about it. */
export function renderJob(output: JsonObject, style: Style): string {
  const job = output as unknown as JobDetails;
  const { job_id: id } = job;
  const facts = factLines(
    [
      ['job', id],
      ['state', `${jobState(job)}${job.reason === null ? '' : `: ${job.reason}`}`],
      ['command', commandOf(job)],
      ['started by', `${job.execution_source}${job.session_id === null ? '' : ` in ${job.session_id}`}`],
      ['project', job.project],
      ['folder', job.cwd],
      ['purpose', job.purpose === 'other' ? null : job.purpose],
      ['created', utcTime(job.created_at_ms)],
      ['started', job.started_at_ms === null ? null : utcTime(job.started_at_ms)],
      ['ended', job.finished_at_ms === null ? null : utcTime(job.finished_at_ms)],
      ['took', job.duration_ms === null ? null : `${duration(job.duration_ms)} of at most ${duration(job.effective_timeout_secs * 1_000)}`],
      ['stdout', printed(job.stdout_lines, job.stdout_bytes)],
      ['stderr', printed(job.stderr_lines, job.stderr_bytes)],
      ['ended with it', job.descendants_ended === undefined ? null : counted(job.descendants_ended, 'background process', 'background processes')],
      ['still running', job.survivor_pids?.join(', ')],
      ['caller left', job.published_after_disconnect === true ? 'it goes on by itself' : null],
    ],
    style,
  );
  const next = job.terminal ? `wc job logs ${id} --full` : `wc job logs ${id} --follow, wc job stop ${id}`;
  return `${facts}\n${style.dim(next)}`;
}

function printed(lines: number, bytes: number): string {
  return bytes === 0 ? 'nothing' : `${counted(lines, 'line')}, ${byteSize(bytes)}`;
}

/** `failed (exit 2)`, `stopped (SIGTERM)`, `running`. */
export function jobState({ status, exit_code: exitCode, signal }: JobFacts): string {
  if (signal !== null) return `${status} (${signal})`;
  return exitCode === null || exitCode === 0 ? status : `${status} (exit ${exitCode})`;
}

function paintState(text: string, { status, terminal }: JobFacts, style: Style): string {
  if (!terminal) return style.warn(text);
  return status === 'completed' ? style.good(text) : style.bad(text);
}
