/**
 * Writes what is derived from the tool definitions and the commands: `catalog.json`,
 * `oclif.manifest.json`, `docs/tools/` and `docs/cli.md`. With `--check` it writes nothing
 * and fails when a file is stale.
 *
 * The manifest is read off the built commands, which read the catalog; so the catalog
 * comes first and `dist/` must be built from it.
 */
import { join } from 'node:path';
import { toolDefinitions } from '../src/daemon/all-tools.js';
import { catalogOf } from './generation/catalog.js';
import { toolPages } from './generation/tool-pages.js';
import { checkFiles, writeFiles } from './generation/generated-files.js';

const root = join(import.meta.dirname, '..');
const check = process.argv.includes('--check');

const catalog = catalogOf(toolDefinitions());
const files = new Map<string, string>([
  ['catalog.json', `${JSON.stringify(catalog, null, 1)}\n`],
  ...[...toolPages(catalog)].map(([name, text]) => [`docs/tools/${name}`, text] as const),
]);

if (check) {
  const stale = await checkFiles(root, files, ['docs/tools']);
  for (const path of stale) console.error(`stale: ${path}`);
  if (stale.length > 0) {
    console.error('run `npm run generate` and commit what it wrote');
    process.exitCode = 1;
  }
} else {
  const changed = await writeFiles(root, files, ['docs/tools']);
  console.log(changed.length === 0 ? 'nothing changed' : changed.map((path) => `wrote ${path}`).join('\n'));
}
