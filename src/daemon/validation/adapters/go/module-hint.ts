import type { ParserHints, ProjectProbe } from '../../adapter.js';
import { canonicalFolder } from '../../canonical-target.js';
import { foldersUpwards, inFolder } from '../package-folder.js';

const MODULE = /^module\s+(?:"([^"]+)"|`([^`]+)`|(\S+))/m;

/** At most so many modules of a workspace are told to the parser; files of others stay unnamed. */
const MAX_MODULES = 32;

/** The path and the folder of the module that a folder is in, so that packages can be told their folders. */
export async function moduleHint(cwd: string | null, probe: ProjectProbe): Promise<ParserHints> {
  for (const folder of foldersUpwards(canonicalFolder(cwd))) {
    const text = await probe.text(inFolder(folder, 'go.mod'));
    if (text === null) continue;
    const module = moduleName(text);
    return module === null ? {} : { module, module_folder: folder };
  }
  return {};
}

/** The same of every module of a workspace, as `modules`: a line `PATH FOLDER` each. */
export async function modulesHint(folders: readonly string[], probe: ProjectProbe): Promise<ParserHints> {
  const lines: string[] = [];
  for (const folder of folders.slice(0, MAX_MODULES)) {
    const module = moduleName((await probe.text(inFolder(folder, 'go.mod'))) ?? '');
    if (module !== null) lines.push(`${module} ${folder}`);
  }
  return lines.length === 0 ? {} : { modules: lines.join('\n') };
}

/** The modules that hints tell of, by path. */
export function hintedModules({ module, module_folder: folder, modules }: ParserHints): ReadonlyMap<string, string> {
  const lines = modules === undefined ? [] : modules.split('\n').map((line) => line.split(/ (.*)/s, 2) as [string, string]);
  return new Map(module === undefined || folder === undefined ? lines : [...lines, [module, folder]]);
}

function moduleName(text: string): string | null {
  const named = MODULE.exec(text);
  return named?.[1] ?? named?.[2] ?? named?.[3] ?? null;
}
