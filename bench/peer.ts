import { access, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'zx';

/** A published program that a row is measured against. */
export interface Peer {
  /** Its package, with the exact version that the budget was set against. */
  readonly name: string;
  readonly version: string;
}

/**
 * Installs a peer into the cache unless it is there, and gives back its entry script, so
 * that the peer is started by Node itself and not through a wrapper.
 */
export async function installPeer(cache: string, { name, version }: Peer): Promise<string> {
  const folder = join(cache, `${name.replaceAll(/[@/]/g, '_')}-${version}`);
  const root = join(folder, 'node_modules', name);
  const manifest = join(root, 'package.json');
  const installed = await access(manifest).then(
    () => true,
    () => false,
  );
  if (!installed) {
    await mkdir(folder, { recursive: true });
    // No install scripts: none of the measured calls needs what they fetch (browsers, binaries).
    await $({ quiet: true })`npm install --prefix ${folder} --ignore-scripts --no-audit --no-fund --loglevel=error ${`${name}@${version}`}`;
  }
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: string | Record<string, string> };
  const script = typeof bin === 'string' ? bin : Object.values(bin)[0];
  if (script === undefined) throw new Error(`${name} has no program`);
  return join(root, script);
}
