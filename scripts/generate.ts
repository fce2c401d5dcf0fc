/**
 * Writes what is derived from the tool definitions and the commands: `catalog.json`,
 * `oclif.manifest.json`, `docs/tools/` and `docs/cli.md`. With `--check` it writes nothing
 * and fails when a file is stale.
 */
import { join } from 'node:path';
import { toolDefinitions } from '../src/daemon/all-tools.js';
import { catalogOf } from './generation/catalog.js';
import { cliPage, type CommandManifest } from './generation/cli-page.js';
import { commandManifest } from './generation/command-manifest.js';
import { checkFiles, writeFiles } from './generation/generated-files.js';
import { toolPages } from './generation/tool-pages.js';

const root = join(import.meta.dirname, '..');
/** Folders that only generated files live in. */
const OWN_FOLDERS = ['docs/tools'];

const catalog = catalogOf(await toolDefinitions());
const manifestText = json(await commandManifest(catalog, root));
const files = new Map<string, string>([
  ['catalog.json', json(catalog)],
  ['oclif.manifest.json', manifestText],
  ['docs/cli.md', cliPage(JSON.parse(manifestText) as CommandManifest, catalog)],
  ...[...toolPages(catalog)].map(([name, text]) => [`docs/tools/${name}`, text] as const),
]);

if (process.argv.includes('--check')) {
  const stale = await checkFiles(root, files, OWN_FOLDERS);
  for (const path of stale) console.error(`stale: ${path}`);
  if (stale.length > 0) {
    console.error('run `npm run generate` and commit what it wrote');
    process.exitCode = 1;
  }
} else {
  const changed = await writeFiles(root, files, OWN_FOLDERS);
  console.log(changed.length === 0 ? 'nothing changed' : changed.map((path) => `wrote ${path}`).join('\n'));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
