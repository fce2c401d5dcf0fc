import type { ProjectProbe } from '../../adapter.js';
import { packageFolder } from '../package-folder.js';

/** `use ./a`, `use "./a b"`, and the lines of a `use ( … )` block; comments end a line. */
const FOLDER = /^(?:"([^"]+)"|`([^`]+)`|([^\s"`]+))$/;

/**
 * The folders of the modules that the project's `go.work` uses, relative to the project;
 * null where it has none. Modules outside the project are no part of it and left out.
 */
export async function workspaceModules(probe: ProjectProbe): Promise<readonly string[] | null> {
  const text = await probe.text('go.work');
  return text === null ? null : usedFolders(text);
}

function usedFolders(text: string): readonly string[] {
  const folders = new Set<string>();
  let inBlock = false;
  for (const raw of text.split('\n')) {
    const line = raw.replace(/(?:^|\s)\/\/.*$/, '').trim();
    const isUse = /^use[\s("`]/.test(line);
    if (inBlock && line === ')') inBlock = false;
    else if (/^use\s*\($/.test(line)) inBlock = true;
    else if (inBlock || isUse) {
      const named = FOLDER.exec(inBlock ? line : line.slice('use'.length).trim());
      const folder = named === null ? null : packageFolder(named[1] ?? named[2] ?? named[3] ?? '');
      if (folder !== null && 'folder' in folder) folders.add(folder.folder);
    }
  }
  return [...folders].sort();
}
