import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { closeInheritedDescriptors } from './close-inherited.js';
import type { EnsureParts } from './ensure-daemon.js';
import { packageRoot } from './package-root.js';

/** Variables of the caller that are about the caller's own processes and calls. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'NODE_OPTIONS',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
  'WC_TOKEN',
  'WC_SESSION',
  'WC_PROJECT',
  'WC_RECORD',
]);

/**
 * The daemon's last step before it is itself: no descriptor above 2 (a shell of the
 * POSIX kind can name only those of one digit; the others are closed before), a umask
 * that keeps others out, then the program in this shell's place.
 */
const PRELUDE = 'umask 077; exec "$@" 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-';

export interface SpawnedDaemon {
  /** Settles when the process has ended, or could not be started. */
  readonly end: Promise<void>;
  /** How it ended, or null while it runs. */
  ended(): string | null;
}

/** Starts the daemon's process, which inherits nothing of this one; its words go to `log`. */
export function spawnDaemon(parts: EnsureParts, log: number): SpawnedDaemon {
  const entry = join(packageRoot(), 'dist', 'daemon', 'main.js');
  const env = Object.fromEntries(Object.entries(parts.env).filter(([name]) => !NOT_PASSED_ON.has(name)));
  closeInheritedDescriptors();
  const child = spawn(
    '/bin/sh',
    ['-c', PRELUDE, 'sh', process.execPath, entry, '--state-folder', parts.state.paths.folder, '--detached'],
    { cwd: '/', detached: true, stdio: ['ignore', log, log], env },
  );
  child.unref();
  let how: string | null = null;
  const end = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      how = error.message;
      resolve();
    });
    child.once('exit', (code, signal) => {
      how = signal ? `signal ${signal}` : `exit code ${code ?? 0}`;
      resolve();
    });
  });
  return { end, ended: () => how };
}
