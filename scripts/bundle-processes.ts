/**
 * The long-lived processes as one file each, in the place of what the compiler made of their
 * entry points: their start is mostly finding, reading and linking some hundreds of modules,
 * and the first command after a pause waits for it. ES modules, not minified: the stack
 * traces in the logs name functions, and a line of a file that can be read.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { build as runEsbuild } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');

/** The programs of processes and worker threads, from `src/`. */
export const PROCESS_ENTRIES: readonly string[] = [
  'daemon/main.ts',
  'daemon/audit/audit-worker.ts',
  'runner/main.ts',
  'runner/output/worker/main.ts',
];

/** Where the sources of these programs lie, from `src/`. */
const SOURCES = ['daemon', 'runner', 'protocol', 'mcp'];

/** Packages that find a native module or a program beside themselves. */
const WITH_NATIVE_PARTS = ['better-sqlite3', '@vscode/ripgrep', 'ssh2'];

/** Builds the programs of the processes from the sources. */
export async function bundleProcesses(): Promise<void> {
  const bundles = await Promise.all(PROCESS_ENTRIES.map(bundleOne));
  for (const { path, text } of bundles) {
    const fresh = `${path}.${process.pid}.new`;
    await writeFile(fresh, text);
    await rename(fresh, path);
  }
}

/** Whether one of the programs is older than anything that it may be made of. */
export function areProcessesStale(): boolean {
  const made = Math.min(...PROCESS_ENTRIES.map((entry) => changedAt(outputOf(entry)) ?? 0));
  const sources = SOURCES.flatMap((folder) =>
    readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(src, folder, file)),
  );
  const rest = ['package-lock.json', 'scripts/bundle-processes.ts'].map((file) => join(root, file));
  return [...sources, ...rest].some((file) => (changedAt(file) ?? 0) > made);
}

function changedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function outputOf(entry: string): string {
  return join(dist, entry.replace(/\.ts$/, '.js'));
}

async function bundleOne(entry: string): Promise<{ readonly path: string; readonly text: string }> {
  const path = outputOf(entry);
  const { outputFiles } = await runEsbuild({
    entryPoints: [join(src, entry)],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Two classes of one name are told apart by a number, which is in no one's message.
    keepNames: true,
    legalComments: 'eof',
    tsconfig: join(root, 'tsconfig.build.json'),
    write: false,
    logLevel: 'warning',
    external: WITH_NATIVE_PARTS,
    // For packages that are CommonJS.
    banner: { js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);" },
    plugins: [ownPlaces(dirname(path))],
  });
  const [{ text } = { text: '' }] = outputFiles;
  return { path, text };
}

/**
 * What a module finds by its own place (a program beside it, the package's root) it finds
 * by the place that it has without a bundle.
 */
function ownPlaces(folder: string): Plugin {
  return {
    name: 'own-places',
    setup: (build) => {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (!source.includes('import.meta')) return null;
        const place = relative(folder, join(dist, relative(src, path)).replace(/\.ts$/, '.js'));
        const contents = source.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
        return { contents, loader: 'ts' };
      });
    },
  };
}
