import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../client/index.js';
import type { Catalog } from '../protocol/catalog.js';

/** The definitions as the build wrote them. */
export function readCatalog(): Catalog {
  return JSON.parse(readFileSync(join(packageRoot(), 'catalog.json'), 'utf8')) as Catalog;
}
