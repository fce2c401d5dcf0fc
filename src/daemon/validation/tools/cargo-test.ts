import { z } from 'zod';
import { notStarted } from '../../execution/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { cargoTestRun } from '../adapters/rust/cargo-run.js';
import { workspaceHint } from '../adapters/rust/workspace-folder.js';
import { cargoSelection, onePackageForm } from '../cargo-selection.js';
import { minimumTests } from '../count-assertion.js';
import { cargoSelectionInputs, minTests, requireTests, testFilter, validatorInputs, validatorWait } from '../inputs.js';
import { looking, projectProbe } from '../project-probe.js';
import { runValidator, type ValidatorDeps } from '../run-validator.js';
import { VALIDATING_TOOL } from '../validating-tool.js';

const input = z
  .strictObject({
    ...validatorInputs,
    ...cargoSelectionInputs,
    all_targets: z.boolean().default(false).meta({ description: 'Examples and benchmarks too, but no documentation tests' }),
    lib: z.boolean().default(false).meta({ description: 'The library’s unit tests only' }),
    filter: testFilter,
    no_run: z.boolean().default(false).meta({ description: 'Compile the tests and run none' }),
    require_tests: requireTests.default(false).meta({ description: 'The same as min_tests 1' }),
    min_tests: minTests,
    ...validatorWait(1_800),
  })
  .superRefine((given, context) => {
    onePackageForm(given, context);
    if (given.no_run && (given.require_tests || given.min_tests !== undefined)) {
      context.addIssue({ code: 'custom', path: ['no_run'], message: 'runs no tests, so that none can be required' });
    }
  });

/** `cargo_test` (spec 03 §7): runs Rust tests and says which failed. */
export function cargoTest(deps: ValidatorDeps): Tool {
  return defineTool(
    {
      ...VALIDATING_TOOL,
      name: 'cargo_test',
      title: 'Test with cargo test',
      summary: 'Runs Rust tests, says how many ran and which failed, and keeps that as evidence.',
      description:
        'A missed min_tests fails the call as a gap in the evidence, not as failing code. package and packages exclude each other. Work that takes longer than sync_wait_secs (10 s) goes on as a Job; its end is evidence all the same.',
      direct_rank: 84,
      recorded_inputs: ['project', 'cwd', 'package', 'packages', 'features', 'filter', 'no_run', 'require_tests', 'min_tests', 'timeout_secs', 'result_expectation'],
      input,
    },
    async (given, call) => {
      const cwd = given.cwd ?? null;
      const hinted = await looking(async () => ({ hints: await workspaceHint(cwd, projectProbe(deps.runner, projectOf(call), call.signal)) }));
      if ('failure' in hinted) return notStarted({ source: 'cargo_test' }, hinted.failure);
      const { hints } = hinted;
      const run = cargoTestRun({ tool: 'cargo_test', cwd, timeoutSecs: given.timeout_secs, hints }, cargoSelection(given), {
        filter: given.filter ?? null,
        noRun: given.no_run,
        minimumTests: minimumTests(given.require_tests, given.min_tests),
      });
      return runValidator(deps, call, run, {
        declaration: { expectation: given.result_expectation },
        syncWaitSecs: given.sync_wait_secs,
      });
    },
  );
}
