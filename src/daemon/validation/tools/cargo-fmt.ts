import { z } from 'zod';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { notStarted, secondsUpTo } from '../../execution/index.js';
import { cargoFmtRun } from '../adapters/rust/cargo-run.js';
import { workspaceHint } from '../adapters/rust/workspace-folder.js';
import { validatorInputs, validatorWait } from '../inputs.js';
import { looking, projectProbe } from '../project-probe.js';
import { runValidator, type ValidatorDeps } from '../run-validator.js';
import { VALIDATING_TOOL } from '../validating-tool.js';

const DEFAULT_TIMEOUT_SECS = 120;
/** Formatting in place is waited for: nobody is to edit beside it. */
const MAX_WRITING_SECS = 120;
/** Of a bounded answer, kept for the answer itself. */
const ANSWER_MARGIN_SECS = 5;

const input = z
  .strictObject({
    ...validatorInputs,
    check: z.boolean().default(false).meta({ description: 'Only look, and fail where something is formatted otherwise' }),
    ...validatorWait(DEFAULT_TIMEOUT_SECS),
    timeout_secs: secondsUpTo(3_600, `Whole budget; without check at most ${MAX_WRITING_SECS}`).default(DEFAULT_TIMEOUT_SECS),
  })
  .superRefine((given, context) => {
    if (given.check) return;
    for (const name of ['result_expectation', 'sync_wait_secs'] as const) {
      if (given[name] !== undefined) context.addIssue({ code: 'custom', path: [name], message: 'only with check' });
    }
  });

/** `cargo_fmt` (spec 03 §7): formats a Rust package, or checks that it is formatted. */
export function cargoFmt(deps: ValidatorDeps): Tool {
  return defineTool(
    {
      ...VALIDATING_TOOL,
      name: 'cargo_fmt',
      title: 'Format with cargo fmt',
      summary: 'Formats Rust code in place; with check it only looks, and names what is formatted otherwise.',
      description: 'Without check it changes files, never becomes a Job, and takes no expectation. Bounds and default folder are never inherited from a Session.',
      direct_rank: 82,
      recorded_inputs: ['project', 'cwd', 'check', 'timeout_secs', 'sync_wait_secs', 'result_expectation'],
      input,
    },
    async (given, call) => {
      const cwd = given.cwd ?? null;
      const hinted = await looking(async () => ({ hints: await workspaceHint(cwd, projectProbe(deps.runner, projectOf(call), call.signal)) }));
      if ('failure' in hinted) return notStarted({ source: 'cargo_fmt' }, hinted.failure);
      const { hints } = hinted;
      const timeoutSecs = given.check ? given.timeout_secs : Math.min(given.timeout_secs, writingBound(call.answerWithinMs));
      const run = cargoFmtRun({ tool: 'cargo_fmt', cwd, timeoutSecs, hints }, given.check);
      return runValidator(deps, call, run, {
        declaration: { expectation: given.result_expectation },
        syncWaitSecs: given.sync_wait_secs,
        ...(given.check ? {} : { synchronous: true }),
      });
    },
  );
}

/** Seconds that formatting in place may take: it has to be over when its answer is due. */
function writingBound(answerWithinMs: number | null): number {
  if (answerWithinMs === null) return MAX_WRITING_SECS;
  return Math.max(1, Math.min(MAX_WRITING_SECS, Math.floor(answerWithinMs / 1_000) - ANSWER_MARGIN_SECS));
}
