import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Program } from '../../protocol/runner/execution.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { notStarted } from './not-started.js';

/** What is really executed. */
export interface ProgramFile {
  readonly file: string;
  readonly args: readonly string[];
  readonly shell: 'sh' | 'bash' | null;
}

/** Where POSIX systems have `sh`, and where many have bash when the PATH does not say. */
const SH = '/bin/sh';
const USUAL_BASH = ['/bin/bash', '/usr/bin/bash'];

/**
 * The file and the arguments of a program. A process is taken literally; the system
 * looks it up. A shell is bash where there is one, unless the request says `sh`.
 */
export async function programFile(program: Program, path: string | undefined): Promise<ProgramFile | Refusal> {
  if (program.kind === 'process') return { file: program.executable, args: program.args, shell: null };
  const bash = program.shell === 'sh' ? null : await findBash(path);
  if (program.shell === 'bash' && bash === null) {
    return notStarted('interpreter_unavailable', 'interpreter_unavailable', 'There is no bash on this machine; use shell "sh" or install bash.');
  }
  return { file: bash ?? SH, args: ['-c', '--', program.command], shell: bash === null ? 'sh' : 'bash' };
}

async function findBash(path: string | undefined): Promise<string | null> {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  for (const candidate of [...folders.map((folder) => join(folder, 'bash')), ...USUAL_BASH]) {
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Look in the next folder.
    }
  }
  return null;
}
