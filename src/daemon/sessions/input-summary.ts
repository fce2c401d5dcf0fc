import type { Json, JsonObject } from '../../protocol/tool-result.js';
import { isSecretKey, redactAndBound, REDACTED } from '../redaction/index.js';
import { INPUT_ARRAY_ITEMS, INPUT_CHARACTERS, INPUT_OBJECT_KEYS } from './limits.js';

/** Deeper members are left out; no tool of ours nests its recorded inputs further. */
const DEPTH = 3;
const ABSOLUTE_PATH = /^(?:[/\\]|~[/\\]|[A-Za-z]:[/\\]|file:)/i;
const ABSOLUTE = '[absolute path]';

/**
 * The recorded inputs of a call (spec 01 §5): at most 16 keys an object, 8 items an
 * array, 120 characters a string; no credentials, no absolute paths, and only the
 * inputs that the tool's definition lists.
 *
 * @returns null when there is nothing to record
 */
export function inputSummary(
  inputs: Readonly<Record<string, unknown>>,
  recorded: readonly string[],
): JsonObject | null {
  const listed = recorded.filter((name) => Object.hasOwn(inputs, name) && inputs[name] !== undefined);
  if (listed.length === 0) return null;
  return object(Object.fromEntries(listed.map((name) => [name, inputs[name]])), DEPTH);
}

function object(members: Readonly<Record<string, unknown>>, depth: number): JsonObject {
  const summary: [string, Json][] = [];
  for (const [name, value] of Object.entries(members)) {
    if (summary.length === INPUT_OBJECT_KEYS) break;
    const summarized = isSecretKey(name) ? REDACTED : summarize(value, depth - 1);
    if (summarized !== undefined) summary.push([redactAndBound(name, INPUT_CHARACTERS).text, summarized]);
  }
  return Object.fromEntries(summary);
}

function summarize(value: unknown, depth: number): Json | undefined {
  if (typeof value === 'string') return summarizeText(value);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || depth <= 0) return undefined;
  if (!Array.isArray(value)) return object(value as Readonly<Record<string, unknown>>, depth);
  return value
    .slice(0, INPUT_ARRAY_ITEMS)
    .map((item) => summarize(item, depth))
    .filter((item) => item !== undefined);
}

/** A short, clean text for an event. */
export function summarizeText(text: string): string {
  return ABSOLUTE_PATH.test(text) ? ABSOLUTE : redactAndBound(text, INPUT_CHARACTERS).text;
}

/** Facts that describe a result, bounded like inputs; null when there are none. */
export function summarizeScalars(
  facts: Readonly<Record<string, string | number | boolean | null>>,
): Record<string, string | number | boolean | null> | null {
  const entries = Object.entries(facts).slice(0, INPUT_OBJECT_KEYS);
  if (entries.length === 0) return null;
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (isSecretKey(name)) return [name, REDACTED];
      return [name, typeof value === 'string' ? summarizeText(value) : value];
    }),
  );
}
