import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { dependency } from '../built-module.js';
import { compareVersions } from '../compare-versions.js';
import { findProgram } from '../mcp-clients/find-program.js';
import { bindingProblem } from '../../protocol/sqlite-binding.js';
import { VERSION } from '../../protocol/version.js';
import { broken, ok, sentence, warning, type Finding } from './finding.js';
import { firstLineOf } from './run-program.js';

const NODE_AT_LEAST = '20.19.0';

/** The package and what it runs on. */
export async function checkInstallation(packageRoot: string, path: string | undefined): Promise<readonly Finding[]> {
  return [checkWc(packageRoot, path), checkNode(), await checkSqlite(), await checkRipgrep()];
}

/** Which `wc` a terminal finds: the system has a word counter of that name. */
function checkWc(packageRoot: string, path: string | undefined): Finding {
  const here = `webcodex ${VERSION} in ${packageRoot}`;
  const [wc, webcodex] = ['wc', 'webcodex'].map((name) => findProgram(name, path));
  if (wc !== null && wc !== undefined && isOf(packageRoot, wc)) return ok('wc', `${here}, as ${wc}`);
  if (webcodex !== null && webcodex !== undefined && isOf(packageRoot, webcodex)) {
    return ok('wc', `${here}, as ${webcodex}; \`wc\` is ${wc ?? 'nothing'} here, so type \`webcodex\``);
  }
  return warning('wc', `${here}; PATH leads to another \`wc\` (${wc ?? 'none'})`, `Put ${join(packageRoot, 'bin')} on PATH, or install it: npm install -g webcodex`);
}

function isOf(packageRoot: string, program: string): boolean {
  try {
    return realpathSync(program).startsWith(`${packageRoot}/`);
  } catch {
    return false;
  }
}

function checkNode(): Finding {
  const { version } = process;
  const detail = `Node ${version} at ${process.execPath}`;
  if (compareVersions(version.slice(1), NODE_AT_LEAST) >= 0) return ok('node', detail);
  return broken('node', detail, `Install Node ${NODE_AT_LEAST} or newer.`);
}

interface SqliteModule {
  readonly default: new (path: string) => { prepare(sql: string): { pluck(): { get(): unknown } }; close(): void };
}

/** The engine of the stores, opened for real. */
async function checkSqlite(): Promise<Finding> {
  try {
    const { default: Database } = await dependency<SqliteModule>('better-sqlite3');
    const database = new Database(':memory:');
    const version = String(database.prepare('SELECT sqlite_version()').pluck().get());
    database.close();
    return ok('sqlite', `SQLite ${version} (better-sqlite3)`);
  } catch (error) {
    const problem = bindingProblem(error);
    return problem === null ? broken('sqlite', sentence(error), 'Install the package anew: npm install -g webcodex') : broken('sqlite', problem.what, problem.fix);
  }
}

async function checkRipgrep(): Promise<Finding> {
  try {
    const { rgPath } = await dependency<{ readonly rgPath: string }>('@vscode/ripgrep');
    return ok('ripgrep', `${await firstLineOf(rgPath, ['--version'])} (comes with the package)`);
  } catch (error) {
    return broken('ripgrep', sentence(error), 'Search needs it: install the package anew, with optional dependencies.');
  }
}
