import type { Program } from '../../protocol/runner/execution.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { findInterpreter, type InterpreterPlace } from '../script/interpreter.js';
import { writeScriptFile, type ScriptFile } from '../script/script-file.js';
import { findBash, SH } from '../script/shells.js';
import { notStarted } from './not-started.js';

/** What is really executed. */
export interface ProgramFile {
  readonly file: string;
  readonly args: readonly string[];
  readonly shell: 'sh' | 'bash' | null;
  /** The file of a script, which whoever has the program removes after its end. */
  readonly script: ScriptFile | null;
}

/**
 * The file and the arguments of a program. A process is taken literally; the system
 * looks it up. A shell is bash where there is one, unless the request says `sh`. A
 * script is written down for its interpreter.
 *
 * @param lifeFolder the private folder of this Runner's life
 */
export async function programFile(program: Program, place: InterpreterPlace, lifeFolder: string): Promise<ProgramFile | Refusal> {
  switch (program.kind) {
    case 'process':
      return { file: program.executable, args: program.args, shell: null, script: null };
    case 'shell':
      return shellFile(program, place.env['PATH']);
    case 'script':
      return scriptProgram(program, place, lifeFolder);
  }
}

type Shell = Extract<Program, { kind: 'shell' }>;
type Script = Extract<Program, { kind: 'script' }>;

async function shellFile({ command, shell }: Shell, path: string | undefined): Promise<ProgramFile | Refusal> {
  const bash = shell === 'sh' ? null : await findBash(path);
  if (shell === 'bash' && bash === null) {
    return notStarted('interpreter_unavailable', 'interpreter_unavailable', 'There is no bash on this machine; use shell "sh" or install bash.');
  }
  return { file: bash ?? SH, args: ['-c', '--', command], shell: bash === null ? 'sh' : 'bash', script: null };
}

async function scriptProgram({ language, script, args }: Script, place: InterpreterPlace, lifeFolder: string): Promise<ProgramFile | Refusal> {
  const interpreter = await findInterpreter(language, place);
  if (isRefusal(interpreter)) return interpreter;
  try {
    const written = await writeScriptFile(lifeFolder, interpreter.extension, script);
    return { file: interpreter.file, args: [...interpreter.args, written.path, ...args], shell: null, script: written };
  } catch (error) {
    return scriptSetupFailed((error as NodeJS.ErrnoException).code ?? 'UNKNOWN');
  }
}

function scriptSetupFailed(code: string): Refusal {
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const advice = full ? 'make room on the disk of the state folder' : "look at the state folder's disk and permissions";
  return notStarted('script_setup_failed', 'script_setup_failed', `The script could not be written down (${code}), so nothing was started; ${advice}.`, {
    setup_error: code,
  });
}
