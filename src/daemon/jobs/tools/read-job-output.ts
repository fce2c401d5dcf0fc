import { z } from 'zod';
import { MAX_READ_LINES } from '../../../protocol/execution-limits.js';
import { outputStreamSchema, type OutputStream } from '../../../protocol/runner/jobs.js';
import { readOutputMethod } from '../../../protocol/runner/execution.js';
import { failure, success } from '../../../protocol/tool-result.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, type Tool } from '../../kernel/tool.js';
import { jobId } from '../inputs.js';
import { maySee, unknownJob, type JobDeps } from '../visible-job.js';

/** What one answer holds of the text, in bytes. */
const MAX_BYTES = 128 * 1_024;

/** `read_job_output` (decision 27): any part of the whole output of a Job or of a finished command. */
export function readJobOutput(deps: JobDeps): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_job_output',
      title: 'Read output',
      summary: 'Reads any lines of the whole output of a Job, or of a command by its output_id.',
      description: 'Exactly one of job_id and output_id. Read on from next until it is null, and from end once more has come; ended says whether it can.',
      category: 'job',
      scopes: { kind: 'all', scopes: ['runtime:read', 'project:read'] },
      session: 'none',
      project: 'none',
      session_evidence: 'none',
      recorded_inputs: ['job_id', 'output_id', 'stream', 'start_line', 'limit'],
      cli: { positionals: ['job_id'] },
      input: z
        .strictObject({
          job_id: jobId.optional(),
          output_id: z.string().min(1).max(200).optional().meta({ description: 'As the result of a run tool gave it' }),
          stream: outputStreamSchema.default('stdout'),
          start_line: z.int().min(1).default(1).meta({ description: 'The first line is 1' }),
          skip_bytes: z.int().min(0).default(0).meta({ description: 'Bytes of that line to skip, as next says' }),
          limit: clamped(1, MAX_READ_LINES, 200),
          reads_on: z.boolean().default(false).meta({ description: 'For who reads it all: until the next read, and 60 s at most, the program waits rather than outrun what is kept' }),
          with_bytes: z.boolean().default(false).meta({ description: 'Give base64 too where text does not show the very bytes' }),
        })
        .superRefine((given, context) => {
          if ((given.job_id === undefined) === (given.output_id === undefined)) {
            context.addIssue({ code: 'custom', path: [], message: 'exactly one of job_id and output_id' });
          }
        }),
      output: z.object({
        output_id: z.string(),
        job_id: z.string(),
        project: z.string(),
        session_id: z.string().nullable(),
        stream: outputStreamSchema,
        text: z.string(),
        first_line: z.int(),
        last_line: z.int(),
        next: z.object({ start_line: z.int(), skip_bytes: z.int() }).nullable(),
        end: z.object({ start_line: z.int(), skip_bytes: z.int() }),
        ended: z.boolean(),
        total_lines: z.int(),
        total_bytes: z.int(),
        dropped: z.object({ first_line: z.int(), last_line: z.int(), bytes: z.int() }).nullable(),
        lossy: z.boolean(),
        base64: z.string().optional(),
      }),
    },
    async (input, call) => {
      const answer = await deps.runner.call(
        readOutputMethod,
        {
          of: input.job_id === undefined ? { output_id: input.output_id ?? '' } : { job_id: input.job_id },
          stream: input.stream satisfies OutputStream,
          start_line: input.start_line,
          skip_bytes: input.skip_bytes,
          limit: input.limit,
          max_bytes: MAX_BYTES,
          ...(input.reads_on ? { reads_on: true } : {}),
        },
        { signal: call.signal },
      );
      const unknown = input.job_id === undefined ? unknownOutput() : unknownJob(input.job_id);
      if ('failure' in answer) {
        const kind = answer.failure.output['error_kind'];
        return { result: kind === 'unknown_job' || kind === 'unknown_output_id' ? unknown : answer.failure };
      }
      if (!maySee(deps, answer.answer, call.principal)) return { result: unknown };
      const { base64, ...read } = answer.answer;
      return { result: success({ stream: input.stream, ...read, ...(input.with_bytes && base64 !== null ? { base64 } : {}) }) };
    },
  );
}

function unknownOutput(): ReturnType<typeof failure> {
  return failure('unknown_output_id', 'No output has that id, or it is no longer kept.', { state_changed: false });
}
