/** A span for people: `240 ms`, `1.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3_600) return pair(whole, 60, 'min', 1, 's');
  if (whole < 86_400) return pair(whole, 3_600, 'h', 60, 'min');
  return pair(whole, 86_400, 'd', 3_600, 'h');
}

function pair(value: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((value % large) / small);
  return `${Math.floor(value / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}

/** A size for people, in powers of 1,024: `512 B`, `1.5 KiB`. */
export function byteSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** Milliseconds that a date can carry, in either direction from the epoch. */
const MOMENT_MAX = 8_640_000_000_000_000;

/**
 * A moment for people: RFC 3339 in UTC, to the second (spec 00, decision 15). A number that
 * is no moment, as a damaged store may hold, is shown as it is.
 */
export function utcTime(milliseconds: number): string {
  if (!(Math.abs(milliseconds) <= MOMENT_MAX)) return `${milliseconds} ms`;
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** `1 file`, `2 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
