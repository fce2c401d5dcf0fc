import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/protocol/version.js';

const root = join(import.meta.dirname, '..', '..');

async function json(name: string): Promise<{ version?: unknown }> {
  return JSON.parse(await readFile(join(root, name), 'utf8')) as { version?: unknown };
}

it.each(['package.json', 'catalog.json', 'oclif.manifest.json'])('is the version of %s', async (name) => {
  expect((await json(name)).version).toBe(VERSION);
});
