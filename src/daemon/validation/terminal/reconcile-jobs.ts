import type { JobId, ProjectId, SessionId } from '../../../protocol/ids.js';
import { listJobsMethod, observeJobsMethod, type JobView } from '../../../protocol/runner/jobs.js';
import type { ResolvedProject } from '../../kernel/call-context.js';
import { OneAtATime } from '../../one-at-a-time.js';
import type { RunnerPort } from '../../runner-link/port.js';
import type { SessionEvent, SessionsDomain, SessionSnapshot, TerminalValidation } from '../../sessions/index.js';
import { readValidation, type FindParser } from '../read-validation.js';
import { fromAnnotations } from '../validator-metadata.js';
import { terminalCandidates } from './job-candidates.js';
import { terminalValidation, type JobEndFacts, type OutputTails } from './job-end.js';

/** All that a Runner keeps, and what is remembered of earlier ones. */
const ALL_JOBS = 2_000;
const MAX_CANDIDATES = 64;
const TAIL_LINES = 60;
/** Ends that are known to be recorded, so that their output is not read again. */
const MAX_KNOWN = 4_096;

export interface ReconcileDeps {
  readonly runner: RunnerPort;
  readonly sessions: Pick<SessionsDomain, 'snapshot' | 'recordTerminalValidations'>;
  readonly findParser: FindParser;
}

/** Whether every Job of the Session that has ended is in its ledger now. */
export type Reconciliation =
  | { readonly status: 'reconciled'; readonly appended: number }
  | { readonly status: 'incomplete'; readonly reasonCode: 'jobs_unavailable' | 'output_unavailable' | 'too_many_candidates' | 'session_unavailable' };

/**
 * Writes what the ended Jobs of a Session say into its ledger, each exactly once,
 * whenever evidence is about to be read (spec 06 §6). One at a time in the whole process,
 * from before the Jobs are looked at until the commit: an older look never makes room by
 * dropping what a newer one has marked.
 */
export class TerminalJobs {
  private readonly lock = new OneAtATime();
  private readonly known = new Set<string>();

  constructor(private readonly deps: ReconcileDeps) {}

  /** @throws CommitFailedError; nothing of that Session was written then */
  reconcile(sessionId: SessionId, project: ResolvedProject, signal: AbortSignal): Promise<Reconciliation> {
    return this.lock.run(() => this.reconcileNow(sessionId, project, signal));
  }

  private async reconcileNow(sessionId: SessionId, project: ResolvedProject, signal: AbortSignal): Promise<Reconciliation> {
    const { runner, sessions } = this.deps;
    const jobs = await jobsOf(runner, sessionId, project.id, signal);
    if (jobs === null) return { status: 'incomplete', reasonCode: 'jobs_unavailable' };
    const candidates = terminalCandidates(jobs);
    if (candidates.length > MAX_CANDIDATES) return { status: 'incomplete', reasonCode: 'too_many_candidates' };
    const unknown = candidates.filter(({ job_id: id }) => !this.known.has(id));
    if (unknown.length === 0) return { status: 'reconciled', appended: 0 };
    const snapshot = sessions.snapshot(sessionId);
    if (snapshot === null) return { status: 'incomplete', reasonCode: 'session_unavailable' };
    const recorded = recordedJobs(snapshot);
    const validations: TerminalValidation[] = [];
    let unreachable = false;
    for (const job of unknown.toSorted(byEnd)) {
      if (recorded.has(job.job_id)) {
        this.remember(job.job_id);
        continue;
      }
      const facts = await this.factsOf(job, project, snapshot, signal);
      // What cannot be read at the moment is no evidence yet; it is read the next time.
      if (facts.validator?.unreachable === true) unreachable = true;
      else validations.push(terminalValidation(job, facts));
    }
    if (signal.aborted) return { status: 'incomplete', reasonCode: 'jobs_unavailable' };
    const reached: Reconciliation = unreachable ? { status: 'incomplete', reasonCode: 'output_unavailable' } : { status: 'reconciled', appended: 0 };
    if (validations.length === 0) return reached;
    const outcome = await sessions.recordTerminalValidations(sessionId, project.id, {
      candidates: validations,
      present: new Set(jobs.map(({ job_id: id }) => id as JobId)),
    });
    if ('rejected' in outcome) {
      return { status: 'incomplete', reasonCode: outcome.rejected === 'too_many' ? 'too_many_candidates' : 'session_unavailable' };
    }
    for (const id of [...outcome.appended, ...outcome.marked]) this.remember(id);
    return unreachable ? reached : { status: 'reconciled', appended: outcome.appended.length };
  }

  private async factsOf(job: JobView, project: ResolvedProject, snapshot: SessionSnapshot, signal: AbortSignal): Promise<JobEndFacts> {
    const { runner, findParser } = this.deps;
    const metadata = fromAnnotations(job.annotations);
    const tails = await tailsOf(runner, job, signal);
    const acceptance = acceptanceOf(job, snapshot);
    if (metadata === null) return { acceptance, tails, validator: null };
    const read = await readValidation(
      runner,
      findParser,
      { outputId: job.output_id, exitCode: job.exit_code, timedOut: job.status === 'timed_out', parser: metadata.parser },
      { root: project.path, cwd: job.cwd, hints: metadata.hints },
      signal,
    );
    return { acceptance, tails, validator: { metadata, ...read } };
  }

  private remember(jobId: string): void {
    this.known.add(jobId);
    if (this.known.size <= MAX_KNOWN) return;
    const [oldest] = this.known;
    if (oldest !== undefined) this.known.delete(oldest);
  }
}

/** Every Job of exactly this Session and project; null when they are not known, or not all of them. */
async function jobsOf(runner: RunnerPort, sessionId: SessionId, project: ProjectId, signal: AbortSignal): Promise<readonly JobView[] | null> {
  const listed = await runner.call(listJobsMethod, { status: null, project, session_id: sessionId, limit: ALL_JOBS }, { signal });
  if ('failure' in listed) return null;
  const { jobs, matched } = listed.answer;
  return matched > jobs.length ? null : jobs;
}

async function tailsOf(runner: RunnerPort, job: JobView, signal: AbortSignal): Promise<OutputTails> {
  const seen = await runner.call(
    observeJobsMethod,
    { items: [{ job_id: job.job_id, after: null, reset: false }], tail_lines: TAIL_LINES, wait_ms: 0, wake_on: 'change' },
    { signal },
  );
  const item = 'failure' in seen ? undefined : seen.answer.items[0];
  if (item === undefined || 'error_kind' in item) return { stdoutTail: '', stderrTail: '', truncated: job.stdout.bytes + job.stderr.bytes > 0 };
  const { stdout, stderr } = item;
  const whole = [stdout, stderr].every((slice) => slice.first_line === 1 && !slice.starts_mid_line);
  return { stdoutTail: stdout.text, stderrTail: stderr.text, truncated: !whole };
}

/** The retained call that became the Job. */
function acceptanceOf(job: JobView, { events }: SessionSnapshot): SessionEvent | null {
  return events.find(({ kind, job_id: id }) => kind === 'tool_call_finished' && id === job.job_id) ?? null;
}

function recordedJobs({ events }: SessionSnapshot): ReadonlySet<string> {
  return new Set(events.flatMap(({ kind, job_id: id }) => (kind === 'validation_job_terminal' && id !== null ? [id] : [])));
}

function byEnd(one: JobView, other: JobView): number {
  return (one.finished_at_ms ?? 0) - (other.finished_at_ms ?? 0);
}
