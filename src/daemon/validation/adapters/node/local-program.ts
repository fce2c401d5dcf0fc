import type { ProjectProbe } from '../../adapter.js';
import { foldersUpwards, fromFolder, inFolder } from '../package-folder.js';

/**
 * The program that a package of the project has installed, as a path from that package's
 * folder: of the nearest `node_modules` up to the project's root. Null when there is
 * none; nothing is ever fetched.
 */
export async function localProgram(probe: ProjectProbe, folder: string, name: string): Promise<string | null> {
  const candidates = foldersUpwards(folder).map((one) => inFolder(one, `node_modules/.bin/${name}`));
  const present = await probe.files(candidates);
  const nearest = candidates.find((path) => present.has(path));
  return nearest === undefined ? null : fromFolder(folder, nearest);
}
