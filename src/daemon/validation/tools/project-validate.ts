import { z } from 'zod';
import { MAX_TIMEOUT_SECS } from '../../../protocol/execution-limits.js';
import { notStarted, secondsUpTo } from '../../execution/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { ADAPTER_NAMES, type ValidationAdapter, type ValidationRequest } from '../adapter.js';
import { planByAdapter } from '../choose-adapter.js';
import { minimumTests } from '../count-assertion.js';
import { argumentValue, minTests, requireTests, testFilter, validatorInputs, validatorWait } from '../inputs.js';
import { looking, projectProbe } from '../project-probe.js';
import { resourceRefusal, runValidator, type ValidatorDeps } from '../run-validator.js';
import { VALIDATING_TOOL } from '../validating-tool.js';

const source = 'project_validate';
const MAX_PACKAGES = 8;
const MAX_SELECTOR_BYTES = 500;

const input = z
  .strictObject({
    project: validatorInputs.project,
    action: z.enum(['format_check', 'check', 'test']).meta({ description: 'format_check: formatting; check: compiler or linter; test: tests' }),
    adapter: z.enum(['auto', ...ADAPTER_NAMES]).default('auto').meta({ description: 'Toolchain; auto finds the one of the project' }),
    scope: z
      .strictObject({
        packages: z.array(argumentValue(MAX_SELECTOR_BYTES)).min(1).max(MAX_PACKAGES).optional(),
        all_packages: z.boolean().optional(),
      })
      .optional()
      .meta({ description: 'packages (crates, Go patterns, or folders) or all_packages; default the project' }),
    dependency_policy: z
      .strictObject({ mode: z.literal('locked') })
      .optional()
      .meta({ description: 'locked: the lock file is taken as it is, or the run fails' }),
    test: z
      .strictObject({
        filter: testFilter,
        require_tests: requireTests.default(true),
        min_tests: minTests,
      })
      .optional()
      .meta({ description: 'Only with test: names to run, and how many must have run (at least one unless require_tests is false)' }),
    ...validatorWait(1_800),
    sync_wait_secs: secondsUpTo(MAX_TIMEOUT_SECS, 'Wait before it goes on as a Job; default 10').optional(),
    session_id: validatorInputs.session_id,
  })
  .superRefine((given, context) => {
    if (given.test !== undefined && given.action !== 'test') {
      context.addIssue({ code: 'custom', path: ['test'], message: 'only with action test' });
    }
    if (given.scope?.packages !== undefined && given.scope.all_packages === true) {
      context.addIssue({ code: 'custom', path: ['scope'], message: 'packages or all_packages, not both' });
    }
  });
type ProjectValidateInput = z.output<typeof input>;

export interface ProjectValidateDeps extends ValidatorDeps {
  readonly adapters: readonly ValidationAdapter[];
}

/** `project_validate` (spec 04 §7.12, spec 00 decision 20): one validation of a project in its own toolchain. */
export function projectValidate(deps: ProjectValidateDeps): Tool {
  return defineTool(
    {
      ...VALIDATING_TOOL,
      name: source,
      title: 'Validate a project',
      summary: 'Checks the formatting, the code or the tests of a project with its own toolchain, and says what failed where.',
      description:
        'Rust (cargo), Go, Python (pytest, Ruff) and Node (node --test, vitest, jest; tsc or ESLint; Prettier), as the project has them: nothing is fetched. A run without a single test is no pass unless test.require_tests is false. The validation_target_id is the same for the same check, so that a later pass resolves a failure.',
      direct_rank: 86,
      recorded_inputs: ['project', 'action', 'adapter', 'timeout_secs', 'sync_wait_secs', 'result_expectation'],
      cli: { positionals: ['action'] },
      input,
    },
    async (given, call) => {
      const refusal = resourceRefusal(call);
      if (refusal !== null) return notStarted({ source }, refusal);
      const probe = projectProbe(deps.runner, projectOf(call), call.signal);
      const run = await looking(() => planByAdapter(deps.adapters, given.adapter, requestOf(given), probe));
      if ('failure' in run) return notStarted({ source }, run.failure);
      return runValidator(deps, call, run, {
        declaration: { expectation: given.result_expectation },
        syncWaitSecs: given.sync_wait_secs,
      });
    },
  );
}

function requestOf({ action, scope, test, dependency_policy: policy, timeout_secs: timeoutSecs }: ProjectValidateInput): ValidationRequest {
  return {
    action,
    scope: scope?.packages !== undefined ? { packages: scope.packages } : scope?.all_packages === true ? 'all_packages' : null,
    filter: test?.filter ?? null,
    minimumTests: action === 'test' ? minimumTests(test?.require_tests ?? true, test?.min_tests) : null,
    timeoutSecs,
    lockedDependencies: policy !== undefined,
  };
}
