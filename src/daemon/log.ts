import { basename, dirname } from 'node:path';
import pino, { type Logger } from 'pino';
import { createStream } from 'rotating-file-stream';
import type { Config } from './config.js';

export type { Logger } from 'pino';

/**
 * The daemon's log: JSON lines in a private file that rotates by size. In the
 * foreground the same lines go to stderr as well.
 *
 * Callers log names, counts and kinds; arguments, output and environments have no
 * business here.
 */
export function openLog(path: string, config: Config['log'], foreground: boolean): Logger {
  const file = createStream((_time, index) => (index === undefined ? basename(path) : `${basename(path)}.${index}`), {
    path: dirname(path),
    size: `${config.max_bytes}B`,
    rotate: config.files,
    mode: 0o600,
  });
  // A log that cannot be written must never end the daemon.
  file.on('error', () => undefined);
  const streams = [
    { level: config.level, stream: file as NodeJS.WritableStream },
    ...(foreground ? [{ level: config.level, stream: process.stderr as NodeJS.WritableStream }] : []),
  ];
  return pino(
    { level: config.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.multistream(streams as never),
  );
}
