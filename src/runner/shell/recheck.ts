import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import type { RunnerSettings } from '../../protocol/runner/settings.js';
import type { ShellCloseReason } from '../../protocol/runner/shells.js';
import { verifyRoot } from '../confinement/index.js';
import { profileOf } from '../environment/profile-of.js';
import { refuseFolder, refuseRawProgram } from '../policy/start-policy.js';
import { isRefusal } from '../request.js';
import type { FoundResource } from '../ssh/index.js';
import type { PersistentShell } from './persistent-shell.js';
import { resetRequired } from './refusals.js';

/**
 * Looks anew at what a shell was opened on, before a command or an answer about it: the
 * registered folder, the policy, the project's profile, and the shell's own working
 * folder. A shell that fails is closed (spec 03 §10).
 *
 * @param inForce the settings now
 */
export async function recheck(inForce: { readonly value: RunnerSettings }, shell: PersistentShell, root: ProjectRoot): Promise<Refusal | null> {
  const reason = await whyNotAnyMore(inForce.value, shell, root);
  if (reason === null || !shell.isOpen) return null;
  await shell.close(reason);
  return resetRequired(shell.view());
}

async function whyNotAnyMore(inForce: RunnerSettings, shell: PersistentShell, root: ProjectRoot): Promise<ShellCloseReason | null> {
  const { settings, project, rootPath, remote } = shell.identity;
  if (remote !== null) return whyNotThere(inForce, shell, remote, root);
  const folder = join(rootPath, shell.view().cwd);
  const [verified, isThere] = await Promise.all([verifyRoot(root), isFolder(folder)]);
  if (isRefusal(verified) || verified.path !== rootPath) return 'project_root_changed';
  if (settings !== inForce) {
    if (refuseRawProgram(inForce, 'execute_session_shell') !== null) return 'policy_changed';
    if ((await refuseFolder(inForce, folder)) !== null) return 'policy_changed';
    if (!isDeepStrictEqual(profileOf(settings, project), profileOf(inForce, project))) return 'profile_changed';
  }
  // A command that runs may be anywhere; where it ends is looked at when it ends.
  return shell.isBusy || isThere ? null : 'cwd_lost';
}

/** The same of a shell on a resource, whose folder is the other side's. */
async function whyNotThere(inForce: RunnerSettings, { identity }: PersistentShell, { name, resource }: FoundResource, root: ProjectRoot): Promise<ShellCloseReason | null> {
  const verified = await verifyRoot(root);
  if (isRefusal(verified) || verified.path !== identity.rootPath) return 'project_root_changed';
  if (refuseRawProgram(inForce, 'execute_session_shell') !== null) return 'policy_changed';
  const { resources } = inForce.ssh;
  const now = Object.hasOwn(resources, name) ? resources[name] : undefined;
  return isDeepStrictEqual(now, resource) ? null : 'resource_changed';
}

/** Whether a folder without links on its way still lies there. */
async function isFolder(path: string): Promise<boolean> {
  try {
    const [resolved, status] = await Promise.all([realpath(path), stat(path)]);
    return resolved === path && status.isDirectory();
  } catch {
    return false;
  }
}
