import type { Style } from '../../client/render/index.js';
import { printableLine, utcTime } from '../../client/render/index.js';

/** The levels of the daemon's log (pino's numbers). */
const LEVELS: Readonly<Record<number, string>> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };
/** Members that every line has and nobody reads. */
const PLAIN: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'name', 'v']);

/** One line of the daemon's log for people: time, level, message, further facts. A line that is no JSON stays as it is. */
export function renderLogLine(line: string, style: Style): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return printableLine(line);
  }
  const level = LEVELS[Number(entry['level'])] ?? String(entry['level']);
  const facts = Object.entries(entry)
    .filter(([name]) => !PLAIN.has(name))
    .map(([name, value]) => `${style.dim(`${name}=`)}${printableLine(typeof value === 'string' ? value : JSON.stringify(value))}`);
  const time = typeof entry['time'] === 'number' ? utcTime(entry['time']) : String(entry['time']);
  const message = typeof entry['msg'] === 'string' ? printableLine(entry['msg']) : '';
  return [style.dim(time), painted(level, style), message, ...facts].join(' ');
}

function painted(level: string, style: Style): string {
  const padded = level.padEnd(5);
  if (level === 'error' || level === 'fatal') return style.bad(padded);
  return level === 'warn' ? style.warn(padded) : padded;
}
