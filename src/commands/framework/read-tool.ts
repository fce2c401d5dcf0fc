import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../client/index.js';
import type { CatalogTool } from '../../protocol/catalog.js';

/** A tool's catalog entry without the shape of its output, which no command line needs. */
export type CommandTool = Omit<CatalogTool, 'outputSchema'>;

/** The tool that a command is named after, out of the file that the build wrote for it alone. */
export function readTool(command: string): CommandTool {
  const path = join(packageRoot(), 'dist', 'cli', 'tools', `${command}.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as CommandTool;
}
