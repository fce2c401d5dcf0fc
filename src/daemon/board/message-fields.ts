import type { Failure } from '../../protocol/tool-result.js';
import { MESSAGE_KINDS, storedText, type SessionMessage } from '../sessions/index.js';
import { KEY_CHARACTERS, MESSAGE_CHARACTERS, TAG_CHARACTERS, TAGS_MAX } from './limits.js';

export type MessageKind = SessionMessage['kind'];
export type Priority = SessionMessage['priority'];

const PRIORITIES: readonly string[] = ['low', 'normal', 'high'] satisfies readonly Priority[];

/** What a caller says of a message, before its bounds were looked at. */
export interface GivenMessage {
  readonly kind: string;
  readonly message: string;
  readonly tags?: readonly string[] | undefined;
  readonly priority?: string | undefined;
}

/** The same as it is stored: trimmed, bounded, without credentials. */
export interface MessageFields {
  readonly kind: MessageKind;
  readonly message: string;
  readonly tags: readonly string[];
  readonly priority: Priority;
}

/** How a domain refuses a field; every plane of messages has a kind of its own for it. */
export type RefuseField = (field: string, problem: string) => Failure;

/** The fields of a message (spec 02 §A1), or why they are none. */
export function messageFields(given: GivenMessage, refuse: RefuseField): MessageFields | { readonly failure: Failure } {
  if (!isKind(given.kind)) return { failure: refuse('kind', `is none of ${MESSAGE_KINDS.join(', ')}`) };
  const priority = given.priority ?? 'normal';
  if (!isPriority(priority)) return { failure: refuse('priority', 'is none of low, normal, high') };
  const message = boundedText(given.message, 'message', refuse);
  if (typeof message !== 'string') return message;
  const tags = messageTags(given.tags, refuse);
  if ('failure' in tags) return tags;
  return { kind: given.kind, message, tags: tags.tags, priority };
}

/** A body, trimmed and of 1 to 8,000 characters, as it is stored. */
export function boundedText(text: string, field: string, refuse: RefuseField): string | { readonly failure: Failure } {
  const trimmed = text.trim();
  if (trimmed === '') return { failure: refuse(field, 'is empty') };
  if (isLonger(trimmed, MESSAGE_CHARACTERS)) return { failure: refuse(field, `has more than ${MESSAGE_CHARACTERS} characters`) };
  return storedText(trimmed, MESSAGE_CHARACTERS);
}

/** Tags, trimmed, without empty and repeated ones, in their order. */
export function messageTags(
  given: readonly string[] | undefined,
  refuse: RefuseField,
): { readonly tags: readonly string[] } | { readonly failure: Failure } {
  const tags = [...new Set((given ?? []).map((tag) => tag.trim()).filter((tag) => tag !== ''))];
  if (tags.length > TAGS_MAX) return { failure: refuse('tags', `are more than ${TAGS_MAX}`) };
  if (tags.some((tag) => isLonger(tag, TAG_CHARACTERS))) {
    return { failure: refuse('tags', `have one of more than ${TAG_CHARACTERS} characters`) };
  }
  return { tags: [...new Set(tags.map((tag) => storedText(tag, TAG_CHARACTERS)))] };
}

export function isPriority(text: string): text is Priority {
  return PRIORITIES.includes(text);
}

/** A key of 1 to 128 characters, trimmed; null when it is none. */
export function keyText(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' || isLonger(trimmed, KEY_CHARACTERS) ? null : trimmed;
}

function isKind(text: string): text is MessageKind {
  return (MESSAGE_KINDS as readonly string[]).includes(text);
}

/** Whether a text has more code points; most are known by their UTF-16 length alone. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  if (text.length > 2 * characters) return true;
  return [...text].length > characters;
}
