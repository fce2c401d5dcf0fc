/**
 * `npm run demo`: a whole coding task on a small repository, by the command line. The
 * repository and the state folder are temporary; the user's own state is not touched.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { $ } from 'zx';
import { createTaskRepository } from '../fixtures/coding-task.js';
import { EXPORT_SELECTORS, performByCli, SELECTORS } from './coding-task-by-cli.js';
import { shellWord } from './shell-word.js';

const wc = join(import.meta.dirname, '..', 'bin', 'wc');
const stateFolder = await mkdtemp(join(tmpdir(), 'wc-demo-'));
const env = { ...process.env, WC_HOME: stateFolder };
const repository = await createTaskRepository();

console.log(`In ${repository}, with the state folder ${stateFolder}:\n`);
let begun = false;
try {
  await performByCli({ wc, repository, env }, ({ line, output }) => {
    console.log(`$ ${line}\n${output.trimEnd()}\n`);
    if (!begun) console.log(`$ ${EXPORT_SELECTORS}\n`);
    begun = true;
  });
  console.log(`$ wc session show ${shellWord(SELECTORS.WC_SESSION)}`);
  console.log((await $({ cwd: repository, env, quiet: true })`${wc} session show ${SELECTORS.WC_SESSION}`).stdout.trimEnd());
} finally {
  await $({ env, quiet: true, nothrow: true })`${wc} daemon stop`;
  await rm(stateFolder, { recursive: true, force: true });
  await rm(dirname(repository), { recursive: true, force: true });
}
