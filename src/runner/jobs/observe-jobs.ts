import type { z } from 'zod';
import { JOB_SNAPSHOT_BYTES } from '../../protocol/execution-limits.js';
import type { JobCursor, observeJobsMethod, ObservedJob, StreamSlice } from '../../protocol/runner/jobs.js';
import type { OutputThread, OutputView } from '../output/index.js';
import type { JobInventory } from './job-inventory.js';
import type { Job } from './job.js';

type ObserveParams = z.output<typeof observeJobsMethod.params>;
type ObserveAnswer = z.input<typeof observeJobsMethod.result>;
type WakeReason = ObserveAnswer['wake_reason'];
type ItemAnswer = ObserveAnswer['items'][number];

export interface ObserverParts {
  readonly inventory: JobInventory;
  readonly output: OutputThread;
  /** This Runner's life, 8 hex digits. */
  readonly instance: string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** One asked-for Job; null when there is none of that id. */
interface Watched {
  readonly jobId: string;
  readonly job: Job | null;
  /** Null when there is nothing to go on from: no cursor, or one of another life. */
  readonly cursor: JobCursor | null;
  readonly isReset: boolean;
}

/** What an observer learned, and whether it is new to it. */
interface Seen {
  readonly watched: Watched;
  readonly answer: ItemAnswer;
  readonly news: boolean;
}

/** Observes Jobs, waiting for one shared deadline where that is asked for (spec 03 §6). */
export async function observeJobs(parts: ObserverParts, params: ObserveParams, signal: AbortSignal): Promise<ObserveAnswer> {
  const startedAt = parts.now();
  const watched = params.items.map(({ job_id, after, reset }): Watched => {
    const isReset = reset || (after !== null && after.instance !== parts.instance);
    return { jobId: job_id, job: parts.inventory.findPublished(job_id), cursor: isReset ? null : after, isReset };
  });
  const look = (): Promise<Seen[]> => Promise.all(watched.map((one) => see(parts, one, params.tail_lines)));
  const answer = (wake: WakeReason, seen: readonly Seen[]): ObserveAnswer => ({
    wake_reason: wake,
    waited_ms: Math.round(parts.now() - startedAt),
    items: seen.map((one) => one.answer),
  });

  const first = await look();
  if (params.wait_ms === 0 || watched.some(({ cursor }) => cursor === null)) return answer('immediate', first);
  if (watched.some(({ job }) => job === null)) return answer('item_error', first);
  const known = wakeOf(first, params.wake_on);
  if (known !== null) return answer(known, first);

  const wait = new JobWait(parts, watched, first, params.wake_on);
  const grew = await wait.settles(params.wait_ms - (parts.now() - startedAt), signal);
  const last = await look();
  return answer(wakeOf(last, params.wake_on) ?? (grew ? 'updated' : 'timeout'), last);
}

async function see(parts: ObserverParts, watched: Watched, tailLines: number): Promise<Seen> {
  const { job, jobId, cursor, isReset } = watched;
  if (job === null) return { watched, answer: { job_id: jobId, error_kind: 'unknown_job' }, news: false };
  const seq = job.updateSeq;
  const view =
    job.output === null
      ? null
      : await parts.output.view({
          pair: job.output,
          after: cursor === null ? null : { stdout: cursor.next_stdout_line, stderr: cursor.next_stderr_line },
          bounds: { maxLines: tailLines, maxBytes: JOB_SNAPSHOT_BYTES },
        });
  const next: JobCursor = {
    instance: parts.instance,
    update_seq: seq,
    next_stdout_line: view?.nextStdoutLine ?? 1,
    next_stderr_line: view?.nextStderrLine ?? 1,
  };
  const observed: ObservedJob = {
    job: job.view(view === null ? null : { stdout: view.stdoutCounts, stderr: view.stderrCounts }, parts.now()),
    log_delta_status: deltaStatus(cursor, isReset, view),
    stdout: job.shown(view?.stdout ?? NO_LINES),
    stderr: job.shown(view?.stderr ?? NO_LINES),
    skipped_lines: view?.skippedLines ?? 0,
    cursor: next,
  };
  const news =
    cursor === null ||
    next.update_seq !== cursor.update_seq ||
    next.next_stdout_line !== cursor.next_stdout_line ||
    next.next_stderr_line !== cursor.next_stderr_line;
  return { watched, answer: observed, news };
}

const NO_LINES: StreamSlice = { text: '', first_line: 1, last_line: 0, starts_mid_line: false, lossy: false };

function deltaStatus(cursor: JobCursor | null, isReset: boolean, view: OutputView | null): ObservedJob['log_delta_status'] {
  if (isReset) return 'reset';
  if (cursor === null) return 'baseline';
  if (view === null) return 'unchanged';
  if (!view.continued) return 'reset';
  return view.stdout.text === '' && view.stderr.text === '' ? 'unchanged' : 'delta';
}

/** Why an observer wakes for what it sees now; null when it goes on waiting. */
function wakeOf(seen: readonly Seen[], wakeOn: ObserveParams['wake_on']): WakeReason | null {
  const ended = seen.filter(({ watched }) => watched.job?.isTerminal === true);
  if (ended.length === seen.length) return 'terminal';
  // An end that was seen before wakes nobody again.
  const newlyEnded = ended.some(({ watched: { job, cursor } }) => job !== null && cursor !== null && job.updateSeq > cursor.update_seq);
  if (newlyEnded && wakeOn !== 'all_terminal') return 'terminal';
  const wakesOnNews = wakeOn === 'change' || wakeOn === 'meaningful_change';
  return wakesOnNews && seen.some(({ news }) => news) ? 'updated' : null;
}

/** A wait for the next change of some Jobs. It subscribes first and looks again afterwards, so that nothing is missed between. */
class JobWait {
  constructor(
    private readonly parts: ObserverParts,
    private readonly watched: readonly Watched[],
    private readonly first: readonly Seen[],
    private readonly wakeOn: ObserveParams['wake_on'],
  ) {}

  /** True when output grew that counts as a change; false when the wait ended otherwise. */
  settles(withinMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const subscriptions: (() => void)[] = [];
      const settle = (grew: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abandoned);
        for (const unsubscribe of subscriptions.splice(0)) unsubscribe();
        resolve(grew);
      };
      const abandoned = (): void => settle(false);
      const timer = setTimeout(abandoned, Math.max(0, withinMs));
      signal.addEventListener('abort', abandoned);
      for (const [index, { job }] of this.watched.entries()) {
        if (job === null) continue;
        subscriptions.push(
          job.onChange(() => {
            if (this.statusWakes(job)) settle(false);
          }),
        );
        this.watchOutput(job, index, subscriptions, () => settle(true));
      }
      if (signal.aborted || this.changedMeanwhile()) settle(false);
    });
  }

  private statusWakes(job: Job): boolean {
    if (this.wakeOn === 'all_terminal') return this.watched.every((one) => one.job?.isTerminal === true);
    return this.wakeOn === 'terminal' ? job.isTerminal : true;
  }

  private changedMeanwhile(): boolean {
    return this.watched.some(({ job }, index) => {
      const answer = this.first[index]?.answer;
      return job !== null && answer !== undefined && 'cursor' in answer && job.updateSeq > answer.cursor.update_seq && this.statusWakes(job);
    });
  }

  private watchOutput(job: Job, index: number, subscriptions: (() => void)[], onGrown: () => void): void {
    if (this.wakeOn !== 'change' && this.wakeOn !== 'meaningful_change') return;
    const answer = this.first[index]?.answer;
    const seenLines = answer !== undefined && 'cursor' in answer ? answer.cursor.next_stdout_line + answer.cursor.next_stderr_line - 2 : 0;
    const seenBytes = answer !== undefined && 'job' in answer ? answer.job.stdout.bytes + answer.job.stderr.bytes : 0;
    if (job.output === null) return;
    subscriptions.push(
      this.parts.output.watch(job.output, (bytes, lines) => {
        if (this.wakeOn === 'change' ? bytes > seenBytes : lines > seenLines) onGrown();
      }),
    );
  }
}
