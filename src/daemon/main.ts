import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { stateFolder, statePaths } from '../protocol/state-folder.js';
import { startDaemon } from './daemon.js';
import { StartRefused } from './state-folder.js';

/**
 * The daemon's process. `--state-folder` names its state; with `--detached` it is a
 * background process that says nothing but why it could not start.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { 'state-folder': { type: 'string' }, detached: { type: 'boolean', default: false } },
  });
  process.umask(0o077);
  const home = homeFolder();
  const folder = values['state-folder'] ?? stateFolder({ env: process.env, platform: process.platform, home });
  const daemon = await startDaemon({
    paths: statePaths(folder),
    ownerUid: process.getuid?.() ?? 0,
    home,
    env: process.env,
    foreground: !values.detached,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void daemon.stop('shutdown'));
  // A terminal that closes is no reason to end what others may be using.
  process.on('SIGHUP', () => undefined);
  await daemon.stopped;
  return 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`wc daemon: ${error instanceof StartRefused ? error.message : describe(error)}\n`);
    process.exit(1);
  },
);

/** The owner's home; a user without one may still name a state folder. */
function homeFolder(): string {
  try {
    return process.env['HOME'] || homedir();
  } catch {
    return '/'; // no HOME, and no entry in the user database
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
