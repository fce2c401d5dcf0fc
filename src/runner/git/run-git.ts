import { execa } from 'execa';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { endedRefusal } from '../deadline.js';
import { isRefusal, refuse } from '../request.js';

/** The most that any git read may print; what is longer is read as a stream and ended early. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface GitCall {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface GitOptions {
  /** What git reads from its standard input; nothing when it is left out. */
  readonly input?: string | Uint8Array;
  /** The most that may be printed, in bytes; `git_failed` with the reason `output_too_large` beyond. */
  readonly maxBytes?: number;
}

/** What a git that ran to its end said. */
export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/**
 * Runs one git to its end.
 *
 * @returns whatever its exit code, or a refusal: `git_unavailable` when there is none,
 *   `cancelled` or `timeout` when the signal ended it, `git_failed` when it died
 */
export async function runGit(call: GitCall, args: readonly string[], options: GitOptions = {}): Promise<GitOutput | Refusal> {
  if (call.signal.aborted) return endedRefusal(call.signal, 'git');
  const result = await execa('git', args, {
    cwd: call.folder,
    env: call.environment,
    extendEnv: false,
    ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: options.maxBytes ?? MAX_OUTPUT_BYTES,
    reject: false,
    cancelSignal: call.signal,
    forceKillAfterDelay: 500,
  });
  // A git that had just ended when its output passed the bound has an exit code all the same.
  if (result.exitCode !== undefined && !result.isMaxBuffer) {
    return { exitCode: result.exitCode, stdout: result.stdout, stderr: Buffer.from(result.stderr).toString('utf8') };
  }
  return gitNotEnded(result, call.signal);
}

/** The bytes that a git prints which must end with 0; a refusal in every other case. */
export async function gitBytes(call: GitCall, args: readonly string[], options: GitOptions = {}): Promise<Uint8Array | Refusal> {
  const output = await runGit(call, args, options);
  if (isRefusal(output)) return output;
  return output.exitCode === 0 ? output.stdout : gitFailed(output);
}

/** The refusal for a git that gave no exit code. */
export function gitNotEnded(
  result: { readonly code?: string | undefined; readonly signal?: string | undefined; readonly isMaxBuffer: boolean },
  signal: AbortSignal,
): Refusal {
  if (signal.aborted) return endedRefusal(signal, 'git');
  if (result.code === 'ENOENT' || result.code === 'EACCES') {
    return refuse('git_unavailable', "git was not found on the Runner's PATH; install git or put it on the PATH.");
  }
  const how = result.isMaxBuffer ? 'printed too much' : `ended by ${result.signal ?? result.code ?? 'an unknown cause'}`;
  return refuse('git_failed', `git did not end by itself: it ${how}.`, result.isMaxBuffer ? { reason_code: 'output_too_large' } : {});
}

/** The refusal for a git that ended with an unexpected exit code. */
export function gitFailed(output: { readonly exitCode: number; readonly stderr: string }): Refusal {
  const line = output.stderr.split('\n')[0]?.trim().slice(0, 300) ?? '';
  return refuse('git_failed', `git could not read the repository: ${line === '' ? 'it gave no reason' : line}`, {
    exit_code: output.exitCode,
    ...(SPECIAL_FILE.test(line) ? { reason_code: 'special_file' } : {}),
  });
}

const SPECIAL_FILE = /^error: .*: unsupported file type$/;

/** Whether git ended at a tracked file that is a FIFO, a socket or a device by now. */
export function isSpecialFileFailure({ refused }: Refusal): boolean {
  return refused.error_kind === 'git_failed' && refused.detail['reason_code'] === 'special_file';
}
