import { z } from 'zod';
import { notStarted } from '../../execution/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { cargoCheckRun } from '../adapters/rust/cargo-run.js';
import { workspaceHint } from '../adapters/rust/workspace-folder.js';
import { cargoSelection, onePackageForm } from '../cargo-selection.js';
import { cargoSelectionInputs, validatorInputs, validatorWait } from '../inputs.js';
import { looking, projectProbe } from '../project-probe.js';
import { runValidator, type ValidatorDeps } from '../run-validator.js';
import { VALIDATING_TOOL } from '../validating-tool.js';

const input = z
  .strictObject({
    ...validatorInputs,
    ...cargoSelectionInputs,
    all_targets: z.boolean().default(true).meta({ description: 'Tests, examples and benchmarks too' }),
    ...validatorWait(600),
  })
  .superRefine(onePackageForm);

/** `cargo_check` (spec 03 §7): whether a Rust package compiles. */
export function cargoCheck(deps: ValidatorDeps): Tool {
  return defineTool(
    {
      ...VALIDATING_TOOL,
      name: 'cargo_check',
      title: 'Check with cargo check',
      summary: 'Compiles Rust code without building it, and says what the compiler found.',
      description: 'package and packages exclude each other. Work that takes longer than sync_wait_secs (10 s) goes on as a Job; its end is evidence all the same.',
      direct_rank: 83,
      recorded_inputs: ['project', 'cwd', 'package', 'packages', 'features', 'all_targets', 'all_features', 'no_default_features', 'timeout_secs', 'result_expectation'],
      input,
    },
    async (given, call) => {
      const cwd = given.cwd ?? null;
      const hinted = await looking(async () => ({ hints: await workspaceHint(cwd, projectProbe(deps.runner, projectOf(call), call.signal)) }));
      if ('failure' in hinted) return notStarted({ source: 'cargo_check' }, hinted.failure);
      const { hints } = hinted;
      const run = cargoCheckRun({ tool: 'cargo_check', cwd, timeoutSecs: given.timeout_secs, hints }, cargoSelection(given));
      return runValidator(deps, call, run, {
        declaration: { expectation: given.result_expectation },
        syncWaitSecs: given.sync_wait_secs,
      });
    },
  );
}
