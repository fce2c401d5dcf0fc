/** Columns of a bar. */
const BAR_COLUMNS = 12;
/** Where every bar begins, in milliseconds: what is shorter is as good as nothing. */
const SHORTEST_MS = 1;

/**
 * A small bar of durations on a logarithmic scale from 1 ms to `longest`, so that a tool
 * that takes minutes leaves those that take milliseconds visible: full up to p50, light from
 * there to p95. Empty where nothing was measured.
 */
export function spanBar({ p50, p95 }: { readonly p50: number | null; readonly p95: number | null }, longest: number): string {
  if (p50 === null || p95 === null) return '';
  const full = columnsFor(p50, longest);
  return '█'.repeat(full) + '░'.repeat(Math.max(0, columnsFor(p95, longest) - full));
}

function columnsFor(milliseconds: number, longest: number): number {
  if (milliseconds <= SHORTEST_MS || longest <= SHORTEST_MS) return 1;
  return Math.max(1, Math.round((BAR_COLUMNS * Math.log(milliseconds)) / Math.log(longest)));
}
