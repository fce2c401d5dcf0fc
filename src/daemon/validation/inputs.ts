import { z } from 'zod';
import { MAX_TIMEOUT_SECS } from '../../protocol/execution-limits.js';
import { executionInputs, foregroundInputs, secondsUpTo } from '../execution/index.js';
import { isPackagePattern } from './adapters/go/package-patterns.js';

const MAX_VALUE_BYTES = 500;
const MAX_FILTER_BYTES = 200;
const MAX_MIN_TESTS = 1_000_000;

/** A value that becomes one argument: trimmed, on one line, and never taken for an option. */
export function argumentValue(maximum: number): z.ZodType<string, string> {
  return z
    .string()
    .max(maximum)
    .trim()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= maximum, { error: `more than ${maximum} UTF-8 bytes` })
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'a control character' })
    .refine((text) => !text.startsWith('-'), { error: 'a leading "-"' });
}

/** Where a validator runs and under which Session; nothing of it is inherited from the Session. */
export const validatorInputs = {
  project: executionInputs.project,
  cwd: executionInputs.cwd,
  session_id: executionInputs.session_id,
};

/** How a validator's run is waited for, and what is expected of it. */
export const validatorWait = (defaultTimeoutSecs: number) => ({
  timeout_secs: secondsUpTo(MAX_TIMEOUT_SECS, 'Whole budget').default(defaultTimeoutSecs),
  sync_wait_secs: foregroundInputs.sync_wait_secs,
  result_expectation: foregroundInputs.result_expectation,
});

/** Which packages and features cargo is asked for. */
export const cargoSelectionInputs = {
  package: argumentValue(MAX_VALUE_BYTES).optional().meta({ description: 'One package' }),
  packages: z.array(argumentValue(MAX_VALUE_BYTES)).min(1).max(8).optional().meta({ description: 'Several packages, instead of package' }),
  features: z.array(argumentValue(MAX_VALUE_BYTES)).max(64).default([]),
  all_features: z.boolean().default(false),
  no_default_features: z.boolean().default(false),
};

export const testFilter = argumentValue(MAX_FILTER_BYTES).optional().meta({ description: 'Run the tests whose names contain it' });

export const requireTests = z.boolean();

export const minTests = z
  .int()
  .min(1)
  .max(MAX_MIN_TESTS)
  .optional()
  .meta({ description: 'Fail when fewer tests ran, or when the output does not prove how many' });

export const goPackages = z
  .array(z.string().refine(isPackagePattern, { error: 'none of ., ./x, ./... and ./x/...' }))
  .min(1)
  .max(8)
  .default(['./...'])
  .meta({ description: 'Package patterns: ., ./x, ./... or ./x/...' });
