import type { JsonObject } from '../../protocol/tool-result.js';
import type { Style } from './style.js';
import { textTable } from './text-table.js';
import { duration, utcTime } from './units.js';

/** A Job in an answer, as far as people read it. */
export interface JobFacts {
  readonly job_id: string;
  readonly status: string;
  readonly terminal: boolean;
  readonly command_preview: string;
  readonly project: string;
  readonly created_at_ms: number;
  readonly duration_ms: number | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
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
      { title: 'command', value: ({ command_preview }) => command_preview },
    ],
    style,
  );
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
