import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let found: string | undefined;

/**
 * The folder of this installed package: the nearest one above this file that has a
 * `package.json`. It holds for the sources, for the build and for its bundles alike.
 */
export function packageRoot(): string {
  found ??= nearestPackage(dirname(fileURLToPath(import.meta.url)));
  return found;
}

function nearestPackage(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) throw new Error(`no package.json stands above ${start}`);
  }
}
