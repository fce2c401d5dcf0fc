import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const source = join(root, 'fixtures', 'node-tools');
/** Where tools keep what can be made again; `npm ci` of this repository clears it. */
const cache = join(root, 'node_modules', '.cache', 'wc-node-tools');

/**
 * Gives a project the tools of fixtures/node-tools (jest, prettier) as its own
 * `node_modules`. They are installed once and kept by their lock file's digest: they are
 * as large as all that this repository needs itself.
 */
export function giveNodeTools(project: string): void {
  const installed = join(cache, createHash('sha256').update(readFileSync(join(source, 'package-lock.json'))).digest('hex').slice(0, 16));
  if (!existsSync(installed)) install(installed);
  try {
    execFileSync('cp', ['-al', join(installed, 'node_modules'), project], { stdio: 'ignore' });
  } catch {
    // Another file system, or a `cp` without links.
    rmSync(join(project, 'node_modules'), { recursive: true, force: true });
    execFileSync('cp', ['-a', join(installed, 'node_modules'), project]);
  }
}

/** In a folder of its own that takes its name in one step: test files run side by side. */
function install(installed: string): void {
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'new-'));
  cpSync(source, fresh, { recursive: true });
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: fresh, stdio: 'ignore' });
  try {
    renameSync(fresh, installed);
  } catch {
    // Another test file was first.
    rmSync(fresh, { recursive: true });
  }
}

/**
 * Gives a project a tool that this repository has, as pnpm does: a script of its own that
 * starts it, and a link for imports.
 */
export function giveOwnTool(project: string, tool: string, packageName = tool): void {
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(join(root, 'node_modules', packageName), join(modules, packageName));
  writeFileSync(join(modules, '.bin', tool), `#!/bin/sh\nexec ${join(root, 'node_modules', '.bin', tool)} "$@"\n`);
  chmodSync(join(modules, '.bin', tool), 0o755);
}
