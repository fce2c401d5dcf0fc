import { fstatSync, readSync } from 'node:fs';

/** How much of the daemon's own words is read after a failed start, in bytes. */
const REASON_BYTES = 16 * 1024;
/** How the daemon's own last line begins. */
const DAEMON_SAYS = 'wc daemon: ';

/** What the daemon said since `from`: its plain lines, since its log proper is JSON. */
export function reasonIn(log: number, from: number): string {
  const size = fstatSync(log).size;
  const start = Math.max(from, size - REASON_BYTES);
  const bytes = Buffer.alloc(Math.max(0, size - start));
  readSync(log, bytes, 0, bytes.length, start);
  const plain = bytes
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('{'));
  const said = plain.filter((line) => line.startsWith(DAEMON_SAYS)).map((line) => line.slice(DAEMON_SAYS.length));
  // Without a word of its own, whatever kept it from having one.
  return said.at(-1) ?? plain.slice(-5).join(' ');
}
