import type { Refusal } from '../../protocol/runner/project-root.js';
import { notStarted } from '../jobs/not-started.js';
import { findBash, SH } from '../script/shells.js';

/** The program of a shell, which reads its commands from standard input. */
export interface ShellProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly shell: 'sh' | 'bash';
}

/** The shell that is asked for: bash where there is one, without any start file, unless it says `sh`. */
export async function shellProgram(shell: 'sh' | 'bash' | null, path: string | undefined): Promise<ShellProgram | Refusal> {
  const bash = shell === 'sh' ? null : await findBash(path);
  if (bash !== null) return { file: bash, args: ['--noprofile', '--norc'], shell: 'bash' };
  if (shell !== 'bash') return { file: SH, args: [], shell: 'sh' };
  return notStarted('interpreter_unavailable', 'interpreter_unavailable', 'There is no bash on this machine; use shell "sh" or install bash.');
}
