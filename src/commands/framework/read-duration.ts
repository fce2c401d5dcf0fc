import { UsageError } from './usage-error.js';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A span such as `90s`, `15m`, `2h` or `7d`, in milliseconds.
 *
 * @throws UsageError naming the flag
 */
export function readDuration(flag: string, text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  if (!match) throw new UsageError(`--${flag} takes a span such as 90s, 15m, 2h or 7d, not '${text}'.`);
  return Number(match[1]) * (UNITS_MS[match[2] ?? ''] ?? 0);
}

/**
 * A moment: a span before `now`, or ISO 8601 with a zone; in Unix milliseconds.
 *
 * @throws UsageError naming the flag
 */
export function readMoment(flag: string, text: string, now: number): number {
  if (/^\d{1,9}[smhd]$/.test(text)) return now - readDuration(flag, text);
  const day = /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/.exec(text)?.[1];
  const at = day !== undefined && isDay(day) ? Date.parse(text) : Number.NaN;
  if (!Number.isFinite(at)) {
    throw new UsageError(`--${flag} takes a span such as 15m, 2h or 7d, or a time with its zone such as 2026-07-28T09:00:00Z, not '${text}'.`);
  }
  return at;
}

/** Whether there is such a day: `Date.parse` takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(day);
}
