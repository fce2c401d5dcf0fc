import type { ScriptLanguage } from '../../protocol/execution-state.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { findProgram } from './find-program.js';
import { interpreterUnavailable } from './interpreter-unavailable.js';
import { nodeVersion, type NodeVersion } from './node-version.js';
import { findBash, SH } from './shells.js';

/** What runs a script: a program, and its arguments before the script's file. */
export interface Interpreter {
  readonly file: string;
  readonly args: readonly string[];
  /** What the script's file is called at its end. */
  readonly extension: string;
}

/** Where the interpreter is looked for and asked: the folder and the environment that the script will have. */
export interface InterpreterPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The first Node that takes types off by itself. */
const TYPES_SINCE: NodeVersion = { major: 22, minor: 6 };
/** Before it is stable, Node warns on standard error at each start; nobody asked for that. */
const TAKE_TYPES_OFF = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];

/**
 * The interpreter of a language (spec 03 §4), or why there is none. Nothing but what the
 * PATH says is tried: another runtime is another language, and is asked for by running it.
 */
export async function findInterpreter(language: ScriptLanguage, place: InterpreterPlace): Promise<Interpreter | Refusal> {
  const path = place.env['PATH'];
  switch (language) {
    case 'sh':
      return { file: SH, args: [], extension: '.sh' };
    case 'bash': {
      const file = await findBash(path);
      return file === null ? interpreterUnavailable('bash', path) : { file, args: [], extension: '.sh' };
    }
    case 'python': {
      const file = await findProgram(['python3', 'python'], path);
      return file === null ? interpreterUnavailable('python3', path) : { file, args: [], extension: '.py' };
    }
    case 'javascript': {
      const file = await findProgram(['node'], path);
      return file === null ? interpreterUnavailable('node', path) : { file, args: [], extension: '.mjs' };
    }
    case 'typescript': {
      const file = await findNodeForTypes(place);
      return typeof file === 'string' ? { file, args: TAKE_TYPES_OFF, extension: '.mts' } : file;
    }
  }
}

async function findNodeForTypes(place: InterpreterPlace): Promise<string | Refusal> {
  const file = await findProgram(['node'], place.env['PATH']);
  if (file === null) return interpreterUnavailable('node', place.env['PATH']);
  const version = await nodeVersion(file, place);
  if (version !== null && isAtLeast(version, TYPES_SINCE)) return file;
  const found = version === null ? 'whose version could not be learned' : `v${version.major}.${version.minor}`;
  return interpreterUnavailable(`node ${TYPES_SINCE.major}.${TYPES_SINCE.minor} or later`, place.env['PATH'], `${file}, ${found}`);
}

function isAtLeast({ major, minor }: NodeVersion, least: NodeVersion): boolean {
  return major > least.major || (major === least.major && minor >= least.minor);
}
