import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../client/index.js';
import type { Catalog, CatalogTool } from '../../protocol/catalog.js';

let loaded: Catalog | undefined;

/** All tools, as the build wrote them down. */
export function loadCatalog(): Catalog {
  loaded ??= JSON.parse(readFileSync(join(packageRoot(), 'catalog.json'), 'utf8')) as Catalog;
  return loaded;
}

/** The tool that a command is named after. */
export function toolOfCommand(command: string): CatalogTool {
  const tool = loadCatalog().tools.find((candidate) => candidate.command === command);
  if (!tool) throw new Error(`catalog.json has no tool for the command ${command}`);
  return tool;
}
