import type { Domain } from '../domain.js';
import type { ExecutionDeps } from '../execution/index.js';
import { DAEMON_EPOCH } from '../jobs/index.js';
import { ADAPTERS } from './adapters/index.js';
import { parserFinder } from './parsers.js';
import type { ValidatorDeps } from './run-validator.js';
import { cargoCheck } from './tools/cargo-check.js';
import { cargoFmt } from './tools/cargo-fmt.js';
import { cargoTest } from './tools/cargo-test.js';
import { goTest } from './tools/go-test.js';
import { projectValidate } from './tools/project-validate.js';

/** Structured validation: toolchains run by argv that we build, and what their whole output proves (spec 03 §7). */
export function createValidationDomain({ runner, epoch = DAEMON_EPOCH }: Omit<ExecutionDeps, 'epoch'> & { readonly epoch?: string }): Domain {
  const deps: ValidatorDeps = { runner, epoch, findParser: parserFinder(ADAPTERS) };
  return {
    name: 'validation',
    tools: [cargoFmt(deps), cargoCheck(deps), cargoTest(deps), goTest(deps), projectValidate({ ...deps, adapters: ADAPTERS })],
  };
}
