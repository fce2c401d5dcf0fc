/**
 * The CLI as few files, into `dist/cli/`: start-up is mostly finding, reading and linking
 * modules. CommonJS throughout, since Node starts it faster than ES modules (measured: the
 * loader of ES modules alone costs a sixth of a bare start).
 *
 * - `wc.cjs`: the entry point with the scripts' path;
 * - `framework.cjs`: oclif and the commands, each evaluated only when it runs;
 * - `serve-mcp.cjs`: the stdio server;
 * - `tool-index.json`, `tools/*.json`, `command-names`: what these and `bin/wc` must know of
 *   the catalog and the manifest, each in a form that is read at once.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { build as runEsbuild } from 'esbuild';
import { indexTools } from '../src/commands/framework/tool-index.js';
import type { Catalog } from '../src/protocol/catalog.js';
import { bundleProcesses } from './bundle-processes.js';
import { commandFiles } from './generation/command-manifest.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const out = join(root, 'dist', 'cli');
const framework = join(src, 'commands', 'framework');

/** The bundles: what each is made from, by its name without `.cjs`. */
const BUNDLES = {
  wc: join(framework, 'entry.ts'),
  framework: join(framework, 'run-command.ts'),
  'serve-mcp': join(src, 'mcp', 'serve-mcp.ts'),
};

/** Modules that one bundle finds beside it as another one. */
const BESIDE: Readonly<Record<string, string>> = { 'run-command.js': './framework.cjs', 'serve-mcp.js': './serve-mcp.cjs' };

/** Builds `dist/cli/` from the sources, the catalog and the manifest. */
export async function bundle(): Promise<void> {
  const parts = [...Object.entries(BUNDLES).map(([name, entry]) => bundleOne(name, entry)), lists()];
  const files = new Map((await Promise.all(parts)).flat());
  for (const [path, content] of files) await replaceFile(path, content);
  await removeOthers(new Set(files.keys()));
}

/** Whether `dist/cli/` is older than anything that it is made of. */
export function isBundleStale(): boolean {
  const made = statSync(join(out, 'command-names'), { throwIfNoEntry: false });
  if (made === undefined) return true;
  const sources = ['client', 'commands', 'mcp', 'protocol'].flatMap((folder) =>
    readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(src, folder, file)),
  );
  const rest = ['package.json', 'catalog.json', 'oclif.manifest.json', 'scripts/bundle.ts'].map((file) => join(root, file));
  return [...sources, ...rest].some((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > made.mtimeMs);
}

type Written = readonly [path: string, content: Uint8Array | string];

async function bundleOne(name: string, entry: string): Promise<Written[]> {
  const { outputFiles } = await runEsbuild({
    entryPoints: [entry],
    outfile: join(out, `${name}.cjs`),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    // Names stand in messages and in the traces of our own mistakes.
    keepNames: true,
    legalComments: 'eof',
    tsconfig: join(root, 'tsconfig.build.json'),
    write: false,
    logLevel: 'warning',
    // What oclif would load for commands written in TypeScript; ours are built.
    external: ['typescript', 'ts-node', 'tsx'],
    // Its main file finds its parts in a way that no bundler follows.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    banner: { js: "const __moduleUrl=require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': '__moduleUrl', 'import.meta.dirname': '__dirname' },
    plugins: [beside(entry), commandTable, noGlob],
  });
  return outputFiles.map(({ path, text }) => [path, requireBeside(text)]);
}

/**
 * `import()` of a bundle that is beside becomes `require`, which needs no loader of its own.
 * Any other `import()` stays: the daemon's program is an ES module.
 */
function requireBeside(text: string): string {
  return text.replaceAll(/\bimport\(("\.\/[a-z-]+\.cjs")\)/g, 'Promise.resolve().then(()=>require($1))');
}

const beside = (entry: string): Plugin => ({
  name: 'beside',
  setup: (build) => {
    build.onResolve({ filter: /\/(run-command|serve-mcp)\.js$/ }, ({ path, importer }) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return importer === entry || importer.endsWith('/commands/mcp.ts') ? { path: BESIDE[name] ?? path, external: true } : null;
    });
  },
});

/** Makes `load-command.ts` a table, so that every command is in the bundle. */
const commandTable: Plugin = {
  name: 'command-table',
  setup: (build) => {
    build.onLoad({ filter: /\/framework\/load-command\.ts$/ }, async () => {
      const modules = ['framework/tool-command.ts', ...(await commandFiles(join(src, 'commands')))].map((file) => file.replace(/\.ts$/, ''));
      const rows = modules.map((module) => `${JSON.stringify(module)}: () => import(${JSON.stringify(`../${module}.js`)}),`);
      const contents = `const modules = {\n${rows.join('\n')}\n};\nexport const loadCommand = async (module) => (await modules[module]()).default;`;
      return { contents, loader: 'ts', resolveDir: framework };
    });
  },
};

/** oclif looks for commands and plugins with globs only where there is no manifest, and there is one. */
const noGlob: Plugin = {
  name: 'no-glob',
  setup: (build) => {
    build.onResolve({ filter: /^(tinyglobby|minimatch)$/ }, ({ path }) => ({ path, namespace: 'no-glob' }));
    build.onLoad({ filter: /.*/, namespace: 'no-glob' }, () => ({
      contents:
        "const fail = () => { throw new Error('oclif.manifest.json is missing or belongs to another version'); }; exports.glob = fail; exports.minimatch = fail;",
    }));
  },
};

async function lists(): Promise<Written[]> {
  const catalog = JSON.parse(await readFile(join(root, 'catalog.json'), 'utf8')) as Catalog;
  const manifest = JSON.parse(await readFile(join(root, 'oclif.manifest.json'), 'utf8')) as { commands: Record<string, unknown> };
  const names = new Set(['help', ...Object.keys(manifest.commands).map((id) => id.split(':')[0] ?? id)]);
  return [
    [join(out, 'tool-index.json'), JSON.stringify(indexTools(catalog))],
    ...catalog.tools.map(({ outputSchema: _unread, ...tool }): Written => [join(out, 'tools', `${tool.command}.json`), JSON.stringify(tool)]),
    // The last one: its time says when the bundle was made.
    [join(out, 'command-names'), `${[...names].sort().join('\n')}\n`],
  ];
}

/** In one step, so that a process that starts meanwhile sees the old file or the new one. */
async function replaceFile(path: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}.new`;
  await writeFile(fresh, content);
  await rename(fresh, path);
}

async function removeOthers(wanted: ReadonlySet<string>): Promise<void> {
  for (const file of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    const path = join(out, file);
    const isOther = statSync(path, { throwIfNoEntry: false })?.isFile() === true && !wanted.has(path);
    if (isOther && !path.endsWith('.new')) await rm(path, { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await Promise.all([bundle(), bundleProcesses()]);
