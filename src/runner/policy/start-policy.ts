import type { RunnerSettings } from '../../protocol/runner/settings.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { notStarted } from '../jobs/not-started.js';
import { allowedRoots } from '../project/allowed-roots.js';

/** Tools whose programs are built from checked parts, and not given by the caller. */
const STRUCTURED_SOURCES: ReadonlySet<string> = new Set(['cargo_fmt', 'cargo_check', 'cargo_test', 'go_test', 'project_validate']);

/** Refuses a program of the caller's own where the policy forbids those (spec 03 §9). */
export function refuseRawProgram({ allow_raw_shell: allowed }: Pick<RunnerSettings, 'allow_raw_shell'>, source: string): Refusal | null {
  if (allowed || STRUCTURED_SOURCES.has(source)) return null;
  return notStarted(
    'permission_denied',
    'permission_denied',
    'Commands, scripts and shells are switched off on this machine (runner.allow_raw_shell is false); the validation tools still run.',
    { reason_code: 'raw_shell_disabled' },
  );
}

/**
 * Refuses a start outside of the allowed folders (spec 03 §9; spec 00, decision 51). The
 * policy may have become narrower since the project was registered.
 *
 * @param folder where the program would start, with every link resolved
 */
export async function refuseFolder(
  settings: Pick<RunnerSettings, 'allowed_roots' | 'allow_cwd_anywhere'>,
  folder: string,
): Promise<Refusal | null> {
  if (settings.allowed_roots === undefined || settings.allow_cwd_anywhere) return null;
  if ((await allowedRoots(settings.allowed_roots)).reaches(folder)) return null;
  return notStarted(
    'permission_denied',
    'permission_denied',
    'The working folder lies outside the folders that runner.allowed_roots names; widen it, or work in a project inside of them.',
    { reason_code: 'outside_allowed_roots' },
  );
}
