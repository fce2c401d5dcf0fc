import type { FinishedCall } from '../../validation/index.js';

const MAX_LOCATIONS = 10;

/** Where something fails, as a parser told it. */
export type FailureLocation = {
  readonly kind: 'test' | 'diagnostic' | 'unknown';
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly event_id: string;
};

/** The places that failing checks name, each once; `failing` is newest first. */
export function failureLocations(failing: readonly FinishedCall[]): { readonly locations: readonly FailureLocation[]; readonly truncated: boolean } {
  const locations = new Map<string, FailureLocation>();
  for (const { event } of failing) {
    for (const { kind, name, file, line } of event.validation_output_summary?.evidence?.failures ?? []) {
      const key = JSON.stringify([kind, name, file, line]);
      if (!locations.has(key)) locations.set(key, { kind, name, file, line, event_id: event.event_id });
    }
  }
  const all = [...locations.values()];
  return { locations: all.slice(0, MAX_LOCATIONS), truncated: all.length > MAX_LOCATIONS };
}
