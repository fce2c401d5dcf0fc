import type { SessionId } from './ids.js';

/** The seven keys of `_wc`, a closed object (spec 02 §E1). */
export const ENVELOPE_KEYS = [
  'record',
  'ack',
  'ack_ref',
  'reply',
  'resolve',
  'context',
  'control',
] as const;
export type EnvelopeKey = (typeof ENVELOPE_KEYS)[number];

/** Why an envelope was refused (`output.reason_code` beside `invalid_arguments`). */
export type EnvelopeRejection =
  | 'wc_not_object'
  | 'wc_unknown_field'
  | 'wc_field_not_supported_for_tool'
  | 'wc_legacy_field'
  | 'wc_surface_unavailable'
  | 'wc_field_invalid';

/** The envelope after its shape was checked; the recorder is canonicalized later. */
export interface Envelope {
  readonly record?: string;
  readonly ack?: readonly string[];
  readonly ack_ref?: string;
  readonly reply?: { readonly reply_to: string; readonly message: string };
  readonly resolve?: { readonly message_id: string; readonly resolution: string };
  readonly context?: readonly string[];
  readonly control?: {
    readonly before?: Readonly<Record<string, unknown>>;
    readonly after_success?: Readonly<Record<string, unknown>>;
  };
}

/** The materials that `_wc.context` can ask for (spec 02 §E5). */
export const CONTEXT_MATERIALS = [
  'project.instructions',
  'webcodex.workflow',
  'workflow.resume',
  'jobs.attention',
  'skills.catalog',
  'plugins.catalog',
  'memory.bootstrap',
] as const;
export type ContextMaterial = (typeof CONTEXT_MATERIALS)[number];

/** A recorder after authorization. */
export interface AuthorizedRecorder {
  readonly sessionId: SessionId;
}
