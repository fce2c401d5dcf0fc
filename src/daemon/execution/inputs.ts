import { z } from 'zod';
import {
  DEFAULT_JOB_TIMEOUT_SECS,
  DEFAULT_TIMEOUT_SECS,
  MAX_ARGUMENTS,
  MAX_ARGUMENT_BYTES,
  MAX_ARGV_BYTES,
  MAX_COMMAND_BYTES,
  MAX_CWD_BYTES,
  MAX_EXECUTABLE_BYTES,
  MAX_JOB_TIMEOUT_SECS,
  MAX_SCRIPT_BYTES,
  MAX_STDIN_BYTES,
  MAX_TIMEOUT_SECS,
} from '../../protocol/execution-limits.js';
import { PURPOSES, RESULT_EXPECTATIONS, SCRIPT_LANGUAGES } from '../../protocol/execution-state.js';
import { MAX_REMOTE_CWD_BYTES } from '../../protocol/runner/ssh.js';
import { projectSelector, sessionSelector } from '../kernel/tool.js';
import { exceedsCharacters, redactText } from '../redaction/index.js';

const MAX_ASSERTION_CHARACTERS = 120;
const MAX_SYNC_WAIT_SECS = 60;

/*
 * The bounds of spec 03 §3 as decision 19 of spec 00 settled them. The schema says them
 * as far as JSON Schema can (`maxLength` counts characters, which are never more than
 * bytes); the refinements hold them exactly.
 */

/** Text of at most `maximum` UTF-8 bytes that can be handed to a process. */
function processText(maximum: number): z.ZodString {
  return z
    .string()
    .max(maximum)
    .refine((text) => Buffer.byteLength(text) <= maximum, { error: `more than ${maximum} UTF-8 bytes` })
    .refine((text) => !text.includes('\0'), { error: 'a NUL character' });
}

/** Seconds from 1 on; more than `maximum` is cut, and the answer says what was effective. */
export function secondsUpTo(maximum: number, meaning: string): z.ZodNumber {
  return z
    .int()
    .min(1)
    .overwrite((seconds) => Math.min(seconds, maximum))
    .meta({ description: `${meaning}; more than ${maximum} is cut` });
}

export const executable = processText(MAX_EXECUTABLE_BYTES).min(1).meta({ description: 'Program: a name on PATH, or a path' });

export const args = z
  .array(processText(MAX_ARGUMENT_BYTES))
  .max(MAX_ARGUMENTS)
  .default([])
  .meta({ description: 'Literal arguments; nothing is expanded' });

export const command = processText(MAX_COMMAND_BYTES)
  .min(1)
  .refine((text) => text.trim() !== '', { error: 'a blank command' })
  .meta({ description: `Shell text, at most ${MAX_COMMAND_BYTES} UTF-8 bytes` });

export const language = z.enum(SCRIPT_LANGUAGES).meta({ description: 'Its language' });

export const script = z
  .string()
  .min(1)
  .max(MAX_SCRIPT_BYTES)
  .refine((text) => Buffer.byteLength(text) <= MAX_SCRIPT_BYTES, { error: `more than ${MAX_SCRIPT_BYTES} UTF-8 bytes` })
  .meta({ description: 'The program itself' });

export const shell = z.enum(['sh', 'bash']).optional();

/** Standard input is the null device unless it is given. */
export const stdin = z
  .string()
  .max(MAX_STDIN_BYTES)
  .refine((text) => Buffer.byteLength(text) <= MAX_STDIN_BYTES, { error: `more than ${MAX_STDIN_BYTES} UTF-8 bytes` })
  .optional()
  .meta({ description: 'Text for standard input; empty unless given' });

/** What every execution takes. */
export const executionInputs = {
  project: projectSelector,
  cwd: processText(MAX_CWD_BYTES).optional().meta({ description: 'Folder inside the project; default its root' }),
  purpose: z.enum(PURPOSES).default('other').meta({ description: 'What it is for; evidence only' }),
  assertion_name: z
    .string()
    .min(1)
    .refine((name) => !exceedsCharacters(name, MAX_ASSERTION_CHARACTERS) && !/\p{Cc}/u.test(name) && name.trim() !== '', {
      error: `not one line of 1 to ${MAX_ASSERTION_CHARACTERS} characters`,
    })
    .refine((name) => !redactText(name).redacted, { error: 'looks like a credential' })
    .optional()
    .meta({ description: 'Name of the check, so that a later run can resolve an earlier one' }),
  session_id: sessionSelector.optional(),
};

/** A working folder where a Session may name a resource; `executionPlace` holds the bound of a local one. */
export const placedCwd = processText(MAX_REMOTE_CWD_BYTES)
  .optional()
  .meta({ description: "Folder inside the project, default its root; on a Session's resource a path there" });

/** What an execution takes that answers with its end when it is quick. */
export const foregroundInputs = {
  timeout_secs: secondsUpTo(MAX_TIMEOUT_SECS, 'Whole budget').default(DEFAULT_TIMEOUT_SECS),
  sync_wait_secs: secondsUpTo(MAX_SYNC_WAIT_SECS, 'Wait before it goes on as a Job; default 10').optional(),
  result_expectation: z.enum(RESULT_EXPECTATIONS).optional().meta({ description: 'What exit is expected; evidence only' }),
};

export const jobTimeoutSecs = secondsUpTo(MAX_JOB_TIMEOUT_SECS, 'Whole budget').default(DEFAULT_JOB_TIMEOUT_SECS);

export const acceptedExitCodes = z
  .array(z.int().min(0).max(255))
  .min(1)
  .max(32)
  .overwrite((codes) => [...new Set(codes)])
  .optional()
  .meta({ description: 'Exit codes that are as expected; only with observe or no expectation' });

/** Executable (empty for a script), arguments and a byte for each argument, together. */
export function argvFits(executablePath: string, argv: readonly string[]): boolean {
  const bytes = argv.reduce((sum, arg) => sum + Buffer.byteLength(arg) + 1, Buffer.byteLength(executablePath));
  return bytes <= MAX_ARGV_BYTES;
}

export const ARGV_PROBLEM = `the arguments are more than ${MAX_ARGV_BYTES} UTF-8 bytes together`;
