import type { Domain } from '../domain.js';
import type { RunnerPort } from '../runner-link/index.js';
import type { RunnerConfiguration } from './configuration.js';
import { checkRunnerConfig } from './tools/check-runner-config.js';
import { reloadRunnerConfig } from './tools/reload-runner-config.js';

export { RunnerConfiguration, type ConfigurationDeps, type Document } from './configuration.js';

/** The Runner's configuration as tools see it (spec 04 §7.1): looked at, and put in force. */
export function createRunnerConfigDomain(deps: { readonly configuration: RunnerConfiguration; readonly runner: RunnerPort }): Domain {
  return { name: 'runner_config', tools: [checkRunnerConfig(deps), reloadRunnerConfig(deps)] };
}
