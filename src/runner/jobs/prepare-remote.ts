import { remoteFolder } from '../../protocol/runner/ssh.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { StandardInput } from '../../protocol/runner/execution.js';
import type { CurrentSettings } from '../policy/current-settings.js';
import { refuseRawProgram } from '../policy/start-policy.js';
import { isRefusal } from '../request.js';
import { newToken } from '../shell/frame-text.js';
import { remoteCommand, type FoundResource, type RemoteHosts } from '../ssh/index.js';
import { notStarted } from './not-started.js';
import type { ExecutionRequest } from './prepare-execution.js';

/** A remote execution, checked and ready; nothing was dialled for it yet. */
export interface PreparedRemote {
  readonly session: string;
  readonly found: FoundResource;
  readonly token: string;
  /** For the login shell of the other side. */
  readonly line: string;
  readonly stdin: StandardInput | null;
  readonly timeoutMs: number;
}

/**
 * Looks at all that can be known of a remote start on this machine (spec 03 §11). The
 * folder is the other side's to judge, and nothing of a local profile goes there.
 */
export function prepareRemote(
  parts: { readonly settings: CurrentSettings; readonly hosts: RemoteHosts },
  request: ExecutionRequest,
): PreparedRemote | Refusal {
  const { remote, program, session_id: session } = request;
  const denied = refuseRawProgram(parts.settings.value, request.source);
  if (denied !== null) return denied;
  if (remote === undefined || program.kind !== 'shell') {
    return notStarted('unsupported_resource', 'unsupported_resource', 'Only shell text runs on a resource; use run_shell, run_job or a shell.');
  }
  if (session === null) {
    return notStarted('ssh_session_required', 'invalid_arguments', 'A resource is reached in a Session that names it; give its session_id.', { resource: remote.resource });
  }
  const found = parts.hosts.find(remote.resource);
  if (isRefusal(found)) return found;
  const cwd = remote.cwd ?? found.resource.default_cwd ?? null;
  if (cwd !== null && !remoteFolder.safeParse(cwd).success) return cwdInvalid(found.name, 'is no path that can be sent there');
  const token = newToken();
  const line = remoteCommand({ token, command: program.command, shell: program.shell, cwd });
  if (line === null) return notStarted('invalid_arguments', 'invalid_arguments', 'The command and its folder are too long together to be sent to a resource; shorten them, or send a script first.');
  return { session, found, token, line, stdin: request.stdin, timeoutMs: request.timeout_ms };
}

/** The refusal for a remote folder; 125 is what the other side answered. */
export function cwdInvalid(resource: string, what: string): Refusal {
  return notStarted('ssh_remote_cwd_invalid', 'invalid_arguments', `The working folder on "${resource}" ${what}; name one that is there, or leave it out for the login folder.`, {
    resource,
    exit_code: 125,
  });
}
