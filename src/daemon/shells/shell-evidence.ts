import { SHELL_ID_PATTERN, type ShellView } from '../../protocol/runner/shells.js';
import type { Failure } from '../../protocol/tool-result.js';
import type { EvidenceFacts } from '../kernel/evidence-facts.js';

type ShellEvidence = NonNullable<EvidenceFacts['persistentShell']>;

/** What the ledger keeps of a shell: its name and its states, nothing that went in or came out. */
export function shellEvidence(action: ShellEvidence['action'], { shell_id, state }: ShellView): ShellEvidence {
  return { action, shellId: shell_id, shellState: state };
}

/** The same of a call that was refused, by the Runner or before it. */
export function refusedEvidence(action: ShellEvidence['action'], { output }: Failure, shellId?: string): ShellEvidence {
  const said = (name: string): string | undefined => (typeof output[name] === 'string' ? output[name] : undefined);
  const named = said('shell_id') ?? shellId;
  const state = said('shell_state');
  const executionState = said('execution_state');
  return {
    action,
    ...(named !== undefined && SHELL_ID_PATTERN.test(named) ? { shellId: named } : {}),
    ...(state === undefined ? {} : { shellState: state }),
    ...(executionState === undefined ? {} : { executionState }),
    errorCode: said('error_kind') ?? 'internal_error',
    ...(typeof output['command_started'] === 'boolean' ? { commandStarted: output['command_started'] } : {}),
  };
}
