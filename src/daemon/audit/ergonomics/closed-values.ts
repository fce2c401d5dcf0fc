import { isJsonMap, type JsonMap } from '../json-value.js';

/* The telemetry record holds closed labels, booleans and bounded whole numbers. These read them. */

const LABEL = /^[a-z0-9_]{1,64}$/;
/** Where counts saturate (spec 05 §6). */
const MAX_COUNT = 1024;

/** `value` when it is one of `labels`, else null. */
export function closedLabel<Label extends string>(value: unknown, labels: readonly Label[]): Label | null {
  return labels.find((label) => label === value) ?? null;
}

/** `value` when it has the form of a machine label: `[a-z0-9_]{1,64}`. */
export function labelText(value: unknown): string | null {
  return typeof value === 'string' && LABEL.test(value) ? value : null;
}

/** `value` when it is a boolean; anything else was not observed. */
export function observedBoolean(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** A whole number from 0 on, cut to where counts saturate. */
export function saturatedCount(value: number): number {
  return Math.min(MAX_COUNT, Math.max(0, Math.trunc(value)));
}

/** A count that may not have been observed. */
export function observedCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? saturatedCount(value) : null;
}

/** A whole, safe, non-negative number, such as milliseconds; null for anything else. */
export function wholeNumber(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value)));
}

/** The members of `source` that are whole numbers, of those named. */
export function wholeNumbers(source: JsonMap, names: readonly string[]): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const name of names) {
    const value = wholeNumber(source[name]);
    if (value !== null) numbers[name] = value;
  }
  return numbers;
}

/** The member of `source` that is an object, or an empty one. */
export function objectMember(source: JsonMap | undefined, name: string): JsonMap {
  const value = source?.[name];
  return isJsonMap(value) ? value : {};
}
