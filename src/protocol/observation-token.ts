import type { JobCursor } from './runner/jobs.js';

/** The longest observation token, in ASCII bytes (spec 00, decision 63). */
const MAX_TOKEN_BYTES = 192;
const JOB_ID = /^(?!.*\.\.)[A-Za-z0-9._-]{1,80}$/;
const EPOCH = /^[0-9a-f]{8}$/;
const NUMBER = /^(0|[1-9a-z][0-9a-z]{0,10})$/;

/** How far somebody has seen one Job, in one life of the daemon. */
export interface Observation {
  readonly jobId: string;
  /** One life of the daemon, 8 hex digits: a token of another one resets the observation. */
  readonly epoch: string;
  readonly cursor: JobCursor;
}

/** The one canonical token of an observation: opaque to callers, at most 192 ASCII bytes (spec 03 §6). */
export function encodeObservationToken({ jobId, epoch, cursor }: Observation): string {
  const numbers = [cursor.update_seq, cursor.next_stdout_line, cursor.next_stderr_line].map((value) => value.toString(36));
  return Buffer.from(['1', jobId, epoch, cursor.instance, ...numbers].join('~')).toString('base64url');
}

/** The observation in a token; null for whatever `encodeObservationToken` would not have made. */
export function decodeObservationToken(token: string): Observation | null {
  if (token.length > MAX_TOKEN_BYTES) return null;
  const [version, jobId = '', epoch = '', instance = '', ...numbers] = Buffer.from(token, 'base64url').toString('latin1').split('~');
  if (version !== '1' || !JOB_ID.test(jobId) || !EPOCH.test(epoch) || !EPOCH.test(instance)) return null;
  if (numbers.length !== 3 || !numbers.every((text) => NUMBER.test(text))) return null;
  const [updateSeq = 0, stdoutLine = 0, stderrLine = 0] = numbers.map((text) => parseInt(text, 36));
  if (stdoutLine < 1 || stderrLine < 1 || !Number.isSafeInteger(Math.max(updateSeq, stdoutLine, stderrLine))) return null;
  const cursor = { instance, update_seq: updateSeq, next_stdout_line: stdoutLine, next_stderr_line: stderrLine };
  const observation = { jobId, epoch, cursor };
  return encodeObservationToken(observation) === token ? observation : null;
}
