import { existsSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter } from 'node:path';
import { builtModule } from '../built-module.js';
import { ok, sentence, warning, type Finding } from './finding.js';

/** How long the login shell may take to answer, in milliseconds: as long as the Runner waits. */
const WITHIN_MS = 10_000;

interface LoginShell {
  readonly askLoginShell: (
    user: { readonly username: string; readonly homedir: string; readonly shell: string },
    inherited: Readonly<Record<string, string | undefined>>,
    withinMs: number,
  ) => Promise<{ readonly environment: Readonly<Record<string, string>> }>;
}

/**
 * Commands of MCP clients run with the PATH of the login shell, and those typed with that of
 * the terminal besides (spec 00, decision 30): what only one of them has is found in one
 * place and not in the other.
 */
export async function checkPath(env: Readonly<Record<string, string | undefined>>): Promise<Finding> {
  const { username, homedir, shell } = account(env);
  try {
    const { askLoginShell } = await builtModule<LoginShell>('runner/environment/ask-login-shell.js');
    const { environment } = await askLoginShell({ username, homedir, shell }, env, WITHIN_MS);
    return compare(env['PATH'] ?? '', environment['PATH'] ?? '', shell);
  } catch (error) {
    return warning('path', `the login shell gave no answer: ${sentence(error)}`, `See what the start files of ${shell} do without a terminal, or set runner.env to "inherit".`);
  }
}

/** Compares the PATH of this terminal with the one that the login shell sets. */
export function compare(here: string, login: string, shell: string): Finding {
  const known = new Set(folders(login).map(real));
  const missing = folders(here).filter((folder) => existsSync(folder) && !known.has(real(folder)));
  if (missing.length === 0) return ok('path', `all that this terminal finds, ${shell} finds as a login shell too`);
  return warning(
    'path',
    `this terminal has ${missing.join(', ')} on PATH, and ${shell} as a login shell has not: commands of MCP clients do not find what is there`,
    'Set PATH in a start file of the login shell, or name the folders in runner.path_prepend of config.json.',
  );
}

function folders(path: string): readonly string[] {
  return [...new Set(path.split(delimiter).filter((folder) => folder.startsWith('/')))];
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function account(env: Readonly<Record<string, string | undefined>>): { readonly username: string; readonly homedir: string; readonly shell: string } {
  const { USER = 'unknown', HOME, SHELL = '/bin/sh' } = env;
  try {
    const { username, homedir, shell } = userInfo();
    return { username, homedir: HOME || homedir, shell: shell === null || shell === '' ? SHELL : shell };
  } catch {
    // In a container the uid may have no account.
    return { username: USER, homedir: HOME ?? '/', shell: SHELL };
  }
}
