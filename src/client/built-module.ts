import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from './package-root.js';

/**
 * A module of the built package by its path under `dist/`, for the few that look at what the
 * daemon and the Runner do without being part of them: a client's own start never pays for it.
 */
export async function builtModule<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(join(packageRoot(), 'dist', path)).href)) as Module;
}

/** A module of a package that this one depends on, found from its own folder. */
export async function dependency<Module>(name: string): Promise<Module> {
  const found = createRequire(join(packageRoot(), 'package.json')).resolve(name);
  return (await import(pathToFileURL(found).href)) as Module;
}
