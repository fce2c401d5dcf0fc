/**
 * `npm run record-transcript`: does the coding task by the command line and writes what a
 * terminal showed into the README, between its marks.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { $ } from 'zx';
import { createTaskRepository } from '../fixtures/coding-task.js';
import { EXPORT_SELECTORS, performByCli } from './coding-task-by-cli.js';
import { replaceTranscript } from './generation/transcript.js';

const root = join(import.meta.dirname, '..');
const wc = join(root, 'bin', 'wc');
const stateFolder = await mkdtemp(join(tmpdir(), 'wc-transcript-'));
const env = { ...process.env, WC_HOME: stateFolder };
const repository = await createTaskRepository();

const shown: string[] = [];
try {
  await performByCli({ wc, repository, env }, ({ line, output }) => {
    if (shown.length === 1) shown.push(`$ ${EXPORT_SELECTORS}`);
    shown.push([`$ ${line}`, withoutPlaces(output).trimEnd()].join('\n'));
  });
} finally {
  await $({ env, quiet: true, nothrow: true })`${wc} daemon stop`;
  await rm(stateFolder, { recursive: true, force: true });
  await rm(dirname(repository), { recursive: true, force: true });
}
const readme = join(root, 'README.md');
await writeFile(readme, replaceTranscript(await readFile(readme, 'utf8'), shown.join('\n\n')));

/** Where this machine put the repository is nobody's business. */
function withoutPlaces(output: string): string {
  return output.replaceAll(dirname(repository), '~');
}
