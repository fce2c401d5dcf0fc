/** One thing that was looked at. */
export interface Finding {
  /** What was looked at; stable, for scripts. */
  readonly check: string;
  /** `warning`: it works, and something is worth a look; `broken`: something does not work. */
  readonly status: 'ok' | 'warning' | 'broken';
  /** What is there, in a line. */
  readonly detail: string;
  /** What to do, in a line; null where there is nothing to do. */
  readonly fix: string | null;
  /** The same in numbers, where there are any. */
  readonly facts?: Readonly<Record<string, number | string | null>>;
}

export function ok(check: string, detail: string, facts?: Finding['facts']): Finding {
  return { check, status: 'ok', detail, fix: null, ...(facts === undefined ? {} : { facts }) };
}

export function warning(check: string, detail: string, fix: string, facts?: Finding['facts']): Finding {
  return { check, status: 'warning', detail, fix, ...(facts === undefined ? {} : { facts }) };
}

export function broken(check: string, detail: string, fix: string): Finding {
  return { check, status: 'broken', detail, fix };
}

/** The sentence of an error. */
export function sentence(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
