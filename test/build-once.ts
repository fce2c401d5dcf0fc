import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundle, isBundleStale } from '../scripts/bundle.js';
import { areProcessesStale, bundleProcesses, PROCESS_ENTRIES } from '../scripts/bundle-processes.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');

/**
 * vitest's globalSetup: brings `dist/` up to date, so that tests can start the real
 * processes. Only files older than their source are made anew, each replaced in one
 * step, so that test runs side by side never see half a file; after `npm run build`
 * there is nothing to do. Types are not checked here, `npm run typecheck` does that.
 */
export default async function buildOnce(): Promise<void> {
  const sources = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const stale = sources.filter((file) => !PROCESS_ENTRIES.includes(file) && isStale(join(src, file), outputOf(file)));
  if (stale.length > 0) await transpile(stale);
  removeOrphans(new Set(sources.map(outputOf)));
  if (isBundleStale()) await bundle();
  if (areProcessesStale()) await bundleProcesses();
}

function outputOf(source: string): string {
  return join(dist, source.replace(/\.ts$/, '.js'));
}

function isStale(source: string, output: string): boolean {
  const made = statSync(output, { throwIfNoEntry: false });
  const written = statSync(source, { throwIfNoEntry: false });
  return made === undefined || (written !== undefined && written.mtimeMs > made.mtimeMs);
}

async function transpile(files: readonly string[]): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: files.map((file) => join(src, file)),
    outbase: src,
    outdir: dist,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfig: join(root, 'tsconfig.build.json'),
    write: false,
  });
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    const fresh = `${path}.${process.pid}.new`;
    writeFileSync(fresh, contents);
    renameSync(fresh, path);
  }
}

/** The output of a source that is gone could be imported by mistake. */
function removeOrphans(wanted: ReadonlySet<string>): void {
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = join(dist, file);
    if (path.endsWith('.js') && !wanted.has(path)) rmSync(path, { force: true });
  }
}
