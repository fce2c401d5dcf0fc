import type { Command } from './oclif.js';
import { Flags } from './oclif.js';
import { readJsonFlag } from './read-input.js';
import { UsageError } from './usage-error.js';

/** Flags of the envelope's parts, which `--wc` gives as a whole; help shows that one. */
const PARTS = ['ack', 'ack-ref', 'resolve', 'resolution', 'reply', 'reply-text', 'context', 'control'] as const;

const part = { helpGroup: 'ENVELOPE', hidden: true };

/**
 * What a call can bring beside its arguments (spec 02 §E7). One parser reads it in the daemon,
 * whoever sent it; nothing of it lasts beyond the call.
 */
export const envelopeFlags: Command.Class['flags'] = {
  wc: Flags.string({
    summary: 'The whole envelope of the call as JSON or from @FILE; or in parts: --ack, --ack-ref, --resolve, --resolution, --reply, --reply-text, --context, --control.',
    helpValue: 'JSON',
    helpGroup: 'ENVELOPE',
  }),
  window: Flags.string({ summary: 'Name of the window that this call comes from; else WC_WINDOW.', helpValue: 'NAME', helpGroup: 'ENVELOPE' }),
  ack: Flags.string({ ...part, summary: 'A message that was read; may be repeated.', helpValue: 'MESSAGE', multiple: true }),
  'ack-ref': Flags.string({ ...part, summary: 'The ack_ref of an earlier answer.', helpValue: 'REF' }),
  resolve: Flags.string({ ...part, summary: "A message of the recorder's board to resolve first.", helpValue: 'MESSAGE' }),
  resolution: Flags.string({ ...part, summary: 'What became of it.', helpValue: 'TEXT' }),
  reply: Flags.string({ ...part, summary: "The operator's message to reply to.", helpValue: 'MESSAGE' }),
  'reply-text': Flags.string({ ...part, summary: 'The reply.', helpValue: 'TEXT' }),
  context: Flags.string({ ...part, summary: 'A context material to get along; may be repeated.', helpValue: 'KEY', multiple: true }),
  control: Flags.string({ ...part, summary: 'Mutations before and after the call, as JSON or from a file.', helpValue: 'FILE' }),
};

/**
 * The envelope that a command line means, without its recorder; undefined when it means none.
 *
 * @param own the flags that are the tool's own inputs, which mean nothing else here
 * @throws UsageError for half a pair, and for `--wc` beside its parts
 */
export function envelopeOf(flags: Readonly<Record<string, unknown>>, own: ReadonlySet<string>): Record<string, unknown> | undefined {
  const given = Object.fromEntries(PARTS.filter((name) => !own.has(name) && flags[name] !== undefined).map((name) => [name, flags[name]]));
  if (flags['wc'] !== undefined && !own.has('wc')) {
    if (Object.keys(given).length > 0) throw new UsageError('--wc is the whole envelope: give it alone.');
    return wholeEnvelope(flags['wc'] as string);
  }
  const envelope = {
    ...(given['ack'] === undefined ? {} : { ack: given['ack'] }),
    ...(given['ack-ref'] === undefined ? {} : { ack_ref: given['ack-ref'] }),
    ...pair(given, 'resolve', 'resolution', (messageId, resolution) => ({ resolve: { message_id: messageId, resolution } })),
    ...pair(given, 'reply', 'reply-text', (replyTo, message) => ({ reply: { reply_to: replyTo, message } })),
    ...(given['context'] === undefined ? {} : { context: given['context'] }),
    ...(given['control'] === undefined ? {} : { control: readJsonFlag('control', fileOrJson(given['control'] as string)) }),
  };
  return Object.keys(envelope).length === 0 ? undefined : envelope;
}

function pair(
  given: Readonly<Record<string, unknown>>,
  first: string,
  second: string,
  both: (first: unknown, second: unknown) => Record<string, unknown>,
): Record<string, unknown> {
  if (given[first] === undefined && given[second] === undefined) return {};
  if (given[first] === undefined || given[second] === undefined) throw new UsageError(`--${first} and --${second} belong together.`);
  return both(given[first], given[second]);
}

function wholeEnvelope(value: string): Record<string, unknown> {
  const envelope = readJsonFlag('wc', value);
  if (typeof envelope !== 'object' || envelope === null || Array.isArray(envelope)) throw new UsageError('--wc is an object, and this is another kind of JSON value.');
  return envelope as Record<string, unknown>;
}

/** A control document is a file's, with or without the mark of one, or stands there itself. */
function fileOrJson(value: string): string {
  return value.startsWith('@') || value.trimStart().startsWith('{') ? value : `@${value}`;
}
