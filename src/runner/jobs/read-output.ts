import type { z } from 'zod';
import { jobOutcome } from '../../protocol/execution-state.js';
import type { readOutputMethod } from '../../protocol/runner/execution.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { OutputRead, OutputThread } from '../output/index.js';
import { refuse } from '../request.js';
import type { JobInventory } from './job-inventory.js';
import type { Job } from './job.js';

type ReadParams = z.output<typeof readOutputMethod.params>;
type ReadAnswer = z.input<typeof readOutputMethod.result>;

/** Reads a part of the whole output of an execution or a Job (spec 00, decision 27). */
export async function readOutput(
  { inventory, output }: { readonly inventory: JobInventory; readonly output: OutputThread },
  { of, stream, start_line, skip_bytes, limit, max_bytes, reads_on }: ReadParams,
): Promise<ReadAnswer | Refusal> {
  const job = 'job_id' in of ? inventory.findPublished(of.job_id) : inventory.findByOutput(of.output_id);
  if (job === null) {
    return 'job_id' in of
      ? refuse('unknown_job', 'There is no such Job; list_jobs shows which there are.', { job_id: of.job_id })
      : refuse('unknown_output_id', 'There is no such output any more; it is kept for 15 minutes after the command.', { output_id: of.output_id });
  }
  const read =
    job.output === null
      ? null
      : await output.read({
          pair: job.output,
          stream,
          range: { startLine: start_line, skipBytes: skip_bytes, limit, maxBytes: max_bytes },
          readsOn: reads_on === true,
        });
  return {
    output_id: job.identity.outputId,
    job_id: job.id,
    project: job.identity.project,
    session_id: job.identity.sessionId,
    ...(read === null ? { text: '', base64: null } : shownRead(job, read)),
    first_line: read?.firstLine ?? 1,
    last_line: read?.lastLine ?? 0,
    end: read === null ? { start_line, skip_bytes } : wirePlace(read.end),
    next: read === null || read.next === null ? null : wirePlace(read.next),
    ended: jobOutcome(job.status) !== null,
    total_lines: read?.totals.lines ?? 0,
    total_bytes: read?.totals.bytes ?? 0,
    dropped:
      read === null || read.dropped === null
        ? null
        : { first_line: read.dropped.firstLine, last_line: read.dropped.lastLine, bytes: read.dropped.bytes },
    lossy: read?.lossy ?? false,
  };
}

function wirePlace({ startLine, skipBytes }: OutputRead['end']): ReadAnswer['end'] {
  return { start_line: startLine, skip_bytes: skipBytes };
}

/** The text as it is shown, and the very bytes where they are others. */
function shownRead(job: Job, { text: read, base64 }: OutputRead): Pick<ReadAnswer, 'text' | 'base64'> {
  const { text } = job.shown({ text: read });
  return { text, base64: base64 ?? (text === read ? null : Buffer.from(read).toString('base64')) };
}
