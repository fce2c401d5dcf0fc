import { failure, type Failure } from '../../protocol/tool-result.js';
import { projectOf, sessionOf, type CallContext } from '../kernel/call-context.js';
import type { RunnerPort } from '../runner-link/index.js';

/** What every request about a shell says of its Session and its project. */
export interface ShellPlace {
  readonly project: string;
  readonly session_id: string;
  readonly root: { readonly path: string; readonly fingerprint: string };
}

export function shellPlace(call: CallContext): ShellPlace {
  const project = projectOf(call);
  return {
    project: project.id,
    session_id: sessionOf(call).sessionId,
    root: { path: project.path, fingerprint: project.rootFingerprint },
  };
}

/** Refuses shells where the Runner of the moment is of a version that has none. */
export function refuseWithoutShells(runner: RunnerPort): Failure | null {
  const { state } = runner;
  if (state === null || state.capabilities.includes('persistent_shell')) return null;
  return failure('capability_unavailable', `The Runner of wc ${state.version} has no persistent shells; it is replaced when its Jobs have ended.`, {
    failure_kind: 'capability_unavailable',
    execution_state: 'not_started',
    command_started: false,
    state_changed: false,
  });
}
