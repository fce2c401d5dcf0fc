import { z } from 'zod';
import { ENVELOPE_KEYS, type Envelope, type EnvelopeKey, type EnvelopeRejection } from '../../protocol/envelope.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import { refuseCall } from './call-refused.js';
import type { CallRequest } from './call-request.js';
import { controlKind } from './control-sidecar.js';
import type { EnvelopeShape } from './ports.js';

const messageId = z.string().regex(/^wc_msg_([A-Za-z0-9_-]{16}|[0-9a-f]{32})$/);
/** A text of 1 to 8,000 characters, which are code points as on the board. */
const spoken = (text: string): boolean => text !== '' && text.length <= 16_000 && [...text].length <= 8_000;
const phase = z.record(z.string().max(64), z.unknown());
const envelopeSchema = z.strictObject({
  record: z.string().min(1).max(64).optional(),
  ack: z.array(messageId).max(8).optional(),
  ack_ref: z.string().min(1).max(64).optional(),
  reply: z
    .strictObject({ reply_to: z.string().min(1).max(64), message: z.string().refine(spoken) })
    .optional(),
  resolve: z
    .strictObject({ message_id: messageId, resolution: z.string().trim().refine(spoken) })
    .optional(),
  context: z
    .array(
      z
        .string()
        .min(1)
        .max(64)
        .regex(/^[^\s\p{Cc}]+$/u),
    )
    .max(8)
    .optional(),
  control: z.strictObject({ before: phase.optional(), after_success: phase.optional() }).optional(),
});

/** What each key of `_wc` holds, for whoever sent something else. */
const FORMS: Readonly<Record<EnvelopeKey, string>> = {
  record: 'a Session, wc_sess_… or ~sN',
  ack: 'a list of up to 8 message ids, wc_msg_…',
  ack_ref: 'the ack_ref of an earlier answer, up to 64 characters',
  reply: '{ reply_to, message }, the message of 1 to 8,000 characters',
  resolve: '{ message_id, resolution }: a wc_msg_… and 1 to 8,000 characters',
  context: 'a list of up to 8 keys of materials, none with a blank',
  control: '{ before?, after_success? }, each of them an object',
};

/** The flat names of older clients, which the envelope replaced; `ack_ref` is a name of both. */
const LEGACY_KEYS: ReadonlySet<string> = new Set([
  'recording_session_id',
  'ack_session_message_ids',
  'session_message_resolution',
  'window_reply',
  'context_request',
  '_control',
  '_session_id',
]);

/** Step 2: the `_wc` of a call, checked in shape and taken off; both recorder forms at once are refused. */
export function takeOffEnvelope(request: CallRequest): Envelope {
  refuseFlatNames(request);
  if (request.envelope === undefined) return {};
  if (request.adapter === 'mcp_legacy') {
    return reject('wc_surface_unavailable', 'this MCP era has no _wc; use recording_session_id');
  }
  if (!isObject(request.envelope)) return reject('wc_not_object', '_wc must be an object');
  for (const key of Object.keys(request.envelope)) {
    if (LEGACY_KEYS.has(key)) {
      return reject('wc_legacy_field', `_wc has a field of an older form; its keys are ${ENVELOPE_KEYS.join(', ')}`);
    }
    if (!(ENVELOPE_KEYS as readonly string[]).includes(key)) {
      return reject('wc_unknown_field', `_wc has an unknown field; its keys are ${ENVELOPE_KEYS.join(', ')}`);
    }
  }
  const parsed = envelopeSchema.safeParse(request.envelope);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path[0] as EnvelopeKey;
    return reject('wc_field_invalid', `_wc.${field} takes ${FORMS[field]}`, field);
  }
  const envelope = withoutUndefined(parsed.data) as Envelope;
  if (envelope.record !== undefined && request.recordingSessionId !== null) {
    return refuseCall(
      failure('invalid_arguments', 'give the recorder once: _wc.record or recording_session_id, not both', {
        state_changed: false,
      }),
    );
  }
  return {
    ...envelope,
    ...(envelope.ack === undefined ? {} : { ack: [...new Set(envelope.ack)] }),
    ...(envelope.context === undefined ? {} : { context: [...new Set(envelope.context)] }),
  };
}

/** Whoever has the envelope has it alone: its older forms among the arguments are no tool's own fields. */
function refuseFlatNames({ adapter, arguments: args }: CallRequest): void {
  if (adapter === 'mcp_legacy' && Object.hasOwn(args, '_wc')) {
    reject('wc_surface_unavailable', 'this MCP era has no _wc; use recording_session_id');
  }
  if (adapter !== 'mcp_2026' && adapter !== 'cli') return;
  for (const key of Object.keys(args)) {
    if (key === 'ack_ref' || LEGACY_KEYS.has(key)) reject('wc_legacy_field', `the arguments have a field of an older form; _wc takes its place`);
  }
}

/** What telemetry may know of the envelope: presence and counts, taken from the raw value. */
export function envelopeShape(raw: unknown): EnvelopeShape {
  const value = isObject(raw) ? raw : {};
  const control = isObject(value['control']) ? value['control'] : {};
  const context = Array.isArray(value['context']) ? value['context'] : [];
  return {
    present: Object.fromEntries(ENVELOPE_KEYS.map((key) => [key, Object.hasOwn(value, key)])),
    ackCount: Array.isArray(value['ack']) ? value['ack'].length : 0,
    contextKeys: context.filter((key): key is string => typeof key === 'string'),
    controlBefore: controlKind('before', control['before']),
    controlAfterSuccess: controlKind('after_success', control['after_success']),
  };
}

function reject(reason: EnvelopeRejection, message: string, field?: string): never {
  return refuseCall(envelopeRejection(reason, message, field));
}

/** The refusal of an envelope; it names the field at most, never a value. */
export function envelopeRejection(reason: EnvelopeRejection, message: string, field?: string): Failure {
  return failure('invalid_arguments', message, { reason_code: reason, field, state_changed: false });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
