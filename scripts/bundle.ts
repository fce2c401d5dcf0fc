/**
 * The CLI as few files, into `dist/cli/`: start-up is mostly reading and linking modules
 * (measured: oclif alone costs half as much bundled).
 *
 * - `wc.cjs`: the entry point with the scripts' path, in one CommonJS file, since Node
 *   starts those faster than ES modules;
 * - `run-command.mjs`, `commands/**`, `mcp.mjs`: ES modules that share their chunks, so
 *   that a process loads oclif and its own command and nothing else;
 * - `tool-index.json`, `command-names`: what the entry point and `bin/wc` must know of the
 *   catalog and the manifest, in a form that is read at once.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, OutputFile, Plugin } from 'esbuild';
import { build as runEsbuild } from 'esbuild';
import { indexTools } from '../src/commands/framework/tool-index.js';
import type { Catalog } from '../src/protocol/catalog.js';
import { commandFiles } from './generation/command-manifest.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const out = join(root, 'dist', 'cli');

const SHARED: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'eof',
  tsconfig: join(root, 'tsconfig.build.json'),
  write: false,
  logLevel: 'warning',
  // What oclif would load for commands written in TypeScript; ours are built.
  external: ['typescript', 'ts-node', 'tsx'],
};

/** CommonJS code inside an ES module still asks for these. */
const COMMONJS_NAMES = [
  "import{createRequire as __cr}from'node:module'",
  "import{fileURLToPath as __fp}from'node:url'",
  "import{dirname as __dn}from'node:path'",
  'const require=__cr(import.meta.url)',
  'const __filename=__fp(import.meta.url)',
  'const __dirname=__dn(__filename)',
].join(';');

/** Builds `dist/cli/` from the sources, the catalog and the manifest. */
export async function bundle(): Promise<void> {
  const [entry, framework, lists] = await Promise.all([bundleEntry(), bundleFramework(), nameLists()]);
  const files = new Map([...entry, ...framework, ...lists]);
  for (const [path, content] of files) await replaceFile(path, content);
  await removeOthers(new Set(files.keys()));
}

/** Whether `dist/cli/` is older than anything that it is made of. */
export function isBundleStale(): boolean {
  const made = statSync(join(out, 'command-names'), { throwIfNoEntry: false });
  if (made === undefined) return true;
  const sources = ['client', 'commands', 'mcp', 'protocol'].flatMap((folder) =>
    existsSync(join(src, folder))
      ? readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(src, folder, file))
      : [],
  );
  const rest = ['package.json', 'catalog.json', 'oclif.manifest.json'].map((file) => join(root, file));
  return [...sources, ...rest].some((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > made.mtimeMs);
}

async function bundleEntry(): Promise<readonly [string, Uint8Array][]> {
  const { outputFiles } = await runEsbuild({
    ...SHARED,
    entryPoints: [join(src, 'commands', 'framework', 'entry.ts')],
    outfile: join(out, 'wc.cjs'),
    format: 'cjs',
    banner: { js: "const __moduleUrl=require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': '__moduleUrl', 'import.meta.dirname': '__dirname' },
    plugins: [frameworkBeside],
  });
  return asEntries(outputFiles);
}

/** The entry point finds the framework and the shim as built files beside it. */
const frameworkBeside: Plugin = {
  name: 'framework-beside',
  setup: (build) => {
    build.onResolve({ filter: /\/(run-command|serve-mcp)\.js$/ }, ({ path }) => ({
      path: `./${path.slice(path.lastIndexOf('/') + 1).replace(/\.js$/, '.mjs')}`,
      external: true,
    }));
  },
};

async function bundleFramework(): Promise<readonly [string, Uint8Array][]> {
  const commands = join(src, 'commands');
  const modules = ['framework/tool-command.ts', ...(await commandFiles(commands))].map((file) => [
    `commands/${file.replace(/\.ts$/, '')}`,
    join(commands, file),
  ]);
  const { outputFiles } = await runEsbuild({
    ...SHARED,
    entryPoints: Object.fromEntries([
      ['run-command', join(commands, 'framework', 'run-command.ts')],
      ...modules,
    ]) as Record<string, string>,
    outdir: out,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[hash]',
    format: 'esm',
    splitting: true,
    banner: { js: COMMONJS_NAMES },
  });
  return asEntries(outputFiles);
}

async function nameLists(): Promise<readonly [string, Uint8Array][]> {
  const catalog = JSON.parse(await readFile(join(root, 'catalog.json'), 'utf8')) as Catalog;
  const manifest = JSON.parse(await readFile(join(root, 'oclif.manifest.json'), 'utf8')) as { commands: Record<string, unknown> };
  const names = new Set(['help', ...Object.keys(manifest.commands).map((id) => id.split(':')[0] ?? id)]);
  return [
    [join(out, 'tool-index.json'), Buffer.from(JSON.stringify(indexTools(catalog)))],
    [join(out, 'command-names'), Buffer.from(`${[...names].sort().join('\n')}\n`)],
  ];
}

function asEntries(files: readonly OutputFile[] | undefined): [string, Uint8Array][] {
  return (files ?? []).map(({ path, contents }) => [path, contents]);
}

/** In one step, so that a process that starts meanwhile sees the old file or the new one. */
async function replaceFile(path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}.new`;
  await writeFile(fresh, content);
  await rename(fresh, path);
}

async function removeOthers(wanted: ReadonlySet<string>): Promise<void> {
  for (const file of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    const path = join(out, file);
    if (statSync(path).isFile() && !wanted.has(path) && !path.endsWith('.new')) await rm(path, { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
