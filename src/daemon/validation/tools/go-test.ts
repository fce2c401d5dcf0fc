import { z } from 'zod';
import { notStarted } from '../../execution/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { goTestRun } from '../adapters/go/go-run.js';
import { moduleHint } from '../adapters/go/module-hint.js';
import { minimumTests } from '../count-assertion.js';
import { goPackages, minTests, requireTests, validatorInputs, validatorWait } from '../inputs.js';
import { looking, projectProbe } from '../project-probe.js';
import { runValidator, type ValidatorDeps } from '../run-validator.js';
import { VALIDATING_TOOL } from '../validating-tool.js';

const input = z.strictObject({
  ...validatorInputs,
  packages: goPackages,
  require_tests: requireTests.default(false).meta({ description: 'The same as min_tests 1' }),
  min_tests: minTests,
  ...validatorWait(1_800),
});

/** `go_test` (spec 03 §7): runs Go tests and says which failed. */
export function goTest(deps: ValidatorDeps): Tool {
  return defineTool(
    {
      ...VALIDATING_TOOL,
      name: 'go_test',
      title: 'Test with go test',
      summary: 'Runs Go tests, says how many ran and which failed, and keeps that as evidence.',
      description:
        'A missed min_tests fails the call as a gap in the evidence, not as failing code. Work that takes longer than sync_wait_secs (10 s) goes on as a Job; its end is evidence all the same.',
      direct_rank: 85,
      recorded_inputs: ['project', 'cwd', 'packages', 'require_tests', 'min_tests', 'timeout_secs', 'result_expectation'],
      input,
    },
    async (given, call) => {
      const cwd = given.cwd ?? null;
      const hinted = await looking(async () => ({ hints: await moduleHint(cwd, projectProbe(deps.runner, projectOf(call), call.signal)) }));
      if ('failure' in hinted) return notStarted({ source: 'go_test' }, hinted.failure);
      const { hints } = hinted;
      const run = goTestRun({ tool: 'go_test', cwd, timeoutSecs: given.timeout_secs, hints }, given.packages, {
        filter: null,
        minimumTests: minimumTests(given.require_tests, given.min_tests),
        locked: false,
      });
      return runValidator(deps, call, run, {
        declaration: { expectation: given.result_expectation },
        syncWaitSecs: given.sync_wait_secs,
      });
    },
  );
}
