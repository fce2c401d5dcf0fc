import { failure, type Failure } from '../../protocol/tool-result.js';
import type { RunnerPort } from '../runner-link/index.js';

/** Refuses a resource where the Runner of the moment is of a version that reaches none. */
export function refuseWithoutSsh(runner: RunnerPort, resource: string, capability: 'ssh_shell' | 'ssh_persistent_shell'): Failure | null {
  const { state } = runner;
  if (state === null || state.capabilities.includes(capability)) return null;
  return failure('capability_unavailable', `The Runner of wc ${state.version} can not run this on a resource; it is replaced when its Jobs have ended.`, {
    failure_kind: 'capability_unavailable',
    resource,
    execution_state: 'not_started',
    command_started: false,
    state_changed: false,
  });
}
