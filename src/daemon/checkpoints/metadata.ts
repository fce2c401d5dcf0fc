import type { CheckpointMetadata } from '../../protocol/runner/checkpoints.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import { exceedsCharacters, redactText } from '../redaction/index.js';

/** The bounds of spec 04 §7.8, in characters. */
const MAX_TITLE = 200;
const MAX_NOTE = 2_000;
const MAX_LABELS = 20;
const MAX_LABEL = 64;
const MAX_COMMANDS = 20;
const MAX_COMMAND = 200;
const MAX_SUMMARY = 500;

/** Why metadata is refused: the member, and what is wrong with it. */
interface Fault {
  readonly member: string;
  readonly reason: 'too_long' | 'too_many' | 'empty' | 'repeated' | 'secret_like' | 'control_character';
}

/**
 * Checks what a caller says of a checkpoint. It is kept and shown as it is, so that a
 * text that looks like it holds a secret is refused instead of redacted.
 */
export function invalidMetadata(metadata: CheckpointMetadata): Failure | null {
  const fault = faultOf(metadata);
  if (fault === null) return null;
  return failure('invalid_checkpoint_metadata', `${fault.member} ${SENTENCES[fault.reason]}.`, {
    member: fault.member,
    reason_code: fault.reason,
    state_changed: false,
  });
}

const SENTENCES: Readonly<Record<Fault['reason'], string>> = {
  too_long: 'is longer than allowed',
  too_many: 'has too many entries',
  empty: 'has an empty entry',
  repeated: 'names something twice',
  secret_like: 'looks like it holds a secret; leave that out',
  control_character: 'has a control character',
};

function faultOf({ title, note, labels, validation }: CheckpointMetadata): Fault | null {
  return (
    textFault('title', title, MAX_TITLE) ??
    textFault('note', note, MAX_NOTE) ??
    listFault('labels', labels, MAX_LABELS, MAX_LABEL) ??
    (new Set(labels).size < labels.length ? { member: 'labels', reason: 'repeated' } : null) ??
    (validation === null
      ? null
      : (listFault('validation.commands', validation.commands, MAX_COMMANDS, MAX_COMMAND) ??
        textFault('validation.summary', validation.summary, MAX_SUMMARY)))
  );
}

function listFault(member: string, values: readonly string[], most: number, length: number): Fault | null {
  if (values.length > most) return { member, reason: 'too_many' };
  if (values.some((value) => value.trim() === '')) return { member, reason: 'empty' };
  return values.map((value) => textFault(member, value, length)).find((fault) => fault !== null) ?? null;
}

/** Line breaks and tabs belong to text; other control characters only mislead who reads it. */
const CONTROL = /[^\P{Cc}\n\t]/u;

function textFault(member: string, text: string | null, most: number): Fault | null {
  if (text === null) return null;
  if (exceedsCharacters(text, most)) return { member, reason: 'too_long' };
  if (CONTROL.test(text)) return { member, reason: 'control_character' };
  return redactText(text).text === text ? null : { member, reason: 'secret_like' };
}
