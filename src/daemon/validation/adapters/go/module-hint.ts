import type { ParserHints, ProjectProbe } from '../../adapter.js';
import { canonicalFolder } from '../../canonical-target.js';
import { foldersUpwards, inFolder } from '../package-folder.js';

const MODULE = /^module\s+(?:"([^"]+)"|`([^`]+)`|(\S+))/m;

/** The path and the folder of the module that a folder is in, so that packages can be told their folders. */
export async function moduleHint(cwd: string | null, probe: ProjectProbe): Promise<ParserHints> {
  for (const folder of foldersUpwards(canonicalFolder(cwd))) {
    const text = await probe.text(inFolder(folder, 'go.mod'));
    if (text === null) continue;
    const named = MODULE.exec(text);
    const module = named?.[1] ?? named?.[2] ?? named?.[3];
    return module === undefined ? {} : { module, module_folder: folder };
  }
  return {};
}
