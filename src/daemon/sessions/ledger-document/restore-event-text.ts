import type { Json, JsonObject } from '../../../protocol/tool-result.js';
import { isSecretKey, REDACTED } from '../../redaction/index.js';
import { eventPaths } from '../event-paths.js';
import type { SessionEvent } from '../event-row.js';
import {
  CHANGED_PATHS_PER_EVENT,
  INPUT_ARRAY_ITEMS,
  INPUT_CHARACTERS,
  INPUT_OBJECT_KEYS,
  INSTRUCTION_CHARACTERS,
  OBSERVED_PATHS_PER_EVENT,
  PATH_BYTES,
  SUMMARY_CHARACTERS,
  VALIDATION_TAIL_CHARACTERS,
} from '../limits.js';
import { storedTail, storedText, wellFormed } from './stored-text.js';

/** A remote folder has so many bytes at most, and no fewer characters are kept of any. */
const FOLDER_CHARACTERS = 4_096;
/** Members whose text is one of a closed set or an id, and was checked by the schema. */
const CHECKED: ReadonlySet<string> = new Set([
  'event_id',
  'session_id',
  'kind',
  'status',
  'call_id',
  'logical_invocation_id',
  'logical_invocation_role',
  'result_expectation',
  'requested_mode',
  'previous_mode',
]);

/**
 * The event with its text bounded and its credentials cut out, as the evidence of a call
 * would have them (spec 01 §5, spec 06 §8); the very same object where nothing had to change.
 */
export function boundEventText(event: SessionEvent): SessionEvent {
  let bounded: Record<string, unknown> | null = null;
  for (const [name, value] of Object.entries(event)) {
    if (value === null || typeof value === 'boolean' || typeof value === 'number' || CHECKED.has(name)) continue;
    const clean = boundMember(name as keyof SessionEvent, value);
    if (clean === value || sameJson(clean, value)) continue;
    bounded ??= { ...event };
    bounded[name] = clean;
  }
  return bounded === null ? event : (bounded as SessionEvent);
}

function boundMember(name: keyof SessionEvent, value: unknown): unknown {
  switch (name) {
    case 'instruction':
      return storedText(value as string, INSTRUCTION_CHARACTERS);
    case 'changed_paths':
      return eventPaths((value as string[]).map(wellFormed), CHANGED_PATHS_PER_EVENT);
    case 'observed_paths':
      return eventPaths((value as string[]).map(wellFormed), OBSERVED_PATHS_PER_EVENT);
    case 'input_summary':
    case 'context_result_summary':
      return boundObject(value as JsonObject);
    case 'validation_output_summary':
      return boundOutput(value as NonNullable<SessionEvent['validation_output_summary']>);
    case 'execution_context':
    case 'previous_execution_context':
      return boundTexts(value as object, FOLDER_CHARACTERS);
    case 'permission':
    case 'persistent_shell':
      return boundTexts(value as object, SUMMARY_CHARACTERS);
    default:
      return typeof value === 'string' ? storedText(value, SUMMARY_CHARACTERS) : value;
  }
}

function boundTexts(members: object, characters: number): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? storedText(value, characters) : value,
    ]),
  );
}

/** All text in a value of a closed shape; names of tests and files are its longest. */
function boundTextsWithin<Value>(value: Value): Value {
  const bound = (inner: unknown): unknown => {
    if (typeof inner === 'string') return storedText(inner, PATH_BYTES);
    if (Array.isArray(inner)) return inner.map(bound);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [name, bound(member)]));
  };
  return bound(value) as Value;
}

function boundOutput(
  output: NonNullable<SessionEvent['validation_output_summary']>,
): NonNullable<SessionEvent['validation_output_summary']> {
  const stdout = storedTail(output.stdout_tail, VALIDATION_TAIL_CHARACTERS);
  const stderr = storedTail(output.stderr_tail, VALIDATION_TAIL_CHARACTERS);
  return {
    ...output,
    purpose: storedText(output.purpose, INPUT_CHARACTERS),
    cwd: storedText(output.cwd, INPUT_CHARACTERS),
    stdout_tail: stdout,
    stderr_tail: stderr,
    ...(output.evidence === undefined ? {} : { evidence: boundTextsWithin(output.evidence) }),
    truncated: output.truncated || stdout !== output.stdout_tail || stderr !== output.stderr_tail,
  };
}

function boundObject(members: JsonObject): JsonObject {
  const kept: [string, Json][] = [];
  for (const [name, value] of Object.entries(members).slice(0, INPUT_OBJECT_KEYS)) {
    kept.push([storedText(name, INPUT_CHARACTERS), isSecretKey(name) ? REDACTED : boundValue(value)]);
  }
  return Object.fromEntries(kept);
}

function boundValue(value: Json): Json {
  if (typeof value === 'string') return storedText(value, INPUT_CHARACTERS);
  if (Array.isArray(value)) return value.slice(0, INPUT_ARRAY_ITEMS).map(boundValue);
  return typeof value === 'object' && value !== null ? boundObject(value as JsonObject) : value;
}

function sameJson(one: unknown, other: unknown): boolean {
  return typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other);
}
