import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Catalog } from '../protocol/catalog.js';

/** The definitions as the build wrote them, from the package that this file is part of. */
export function readCatalog(): Catalog {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'catalog.json');
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Catalog;
    if (dirname(folder) === folder) throw new Error('catalog.json stands nowhere above this program; run npm run build');
  }
}
