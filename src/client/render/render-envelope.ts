import type { JsonObject } from '../../protocol/tool-result.js';
import { printableLine } from './printable.js';
import { renderValue } from './render-value.js';
import type { Style } from './style.js';

interface PhaseFacts {
  readonly kind: string;
  readonly success: boolean;
  readonly execution_state: string;
  readonly replayed: boolean;
  readonly error_kind?: string;
}

interface ControlFacts {
  readonly before?: PhaseFacts;
  readonly after_success?: PhaseFacts;
}

interface ReplyFacts {
  readonly success: boolean;
  readonly reply_to?: string;
  readonly failure_kind?: string;
}

interface MaterialFacts {
  readonly key: string;
  readonly status: string;
  readonly reason_code?: string;
  readonly projection?: JsonObject;
}

interface RecorderGap {
  readonly candidate_session_id: string;
}

/**
 * What became of the envelope that a call brought (spec 02 §E): its mutations, its reply, its
 * materials, and the recorder that it lacked. None of them changes the tool's own success, so
 * that a person reads here, and nowhere else, that one of them failed. Null without any.
 */
export function renderEnvelope(output: JsonObject, style: Style): string | null {
  const control = output['control'] as unknown as ControlFacts | undefined;
  const reply = output['window_reply'] as unknown as ReplyFacts | undefined;
  const materials = (output['context_projection'] as unknown as { readonly materials: readonly MaterialFacts[] } | undefined)?.materials ?? [];
  const gap = output['workflow_recording_attention'] as unknown as RecorderGap | undefined;
  const lines = [
    ...(control?.before === undefined ? [] : [phase('before', control.before, style)]),
    ...(control?.after_success === undefined ? [] : [phase('after', control.after_success, style)]),
    ...(reply === undefined ? [] : [replied(reply, style)]),
    ...materials.map((material) => materialText(material, style)),
    ...(gap === undefined ? [] : [style.dim(`not recorded: this window works in ${gap.candidate_session_id}; --record names it`)]),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}

function phase(when: string, { kind, success, execution_state: state, replayed, error_kind: error }: PhaseFacts, style: Style): string {
  const how = success ? style.good(replayed ? 'done before' : 'done') : style.bad(state.replaceAll('_', ' '));
  return `${style.bold(`${when} ${kind}`)}: ${how}${error === undefined ? '' : style.dim(` (${error})`)}`;
}

function replied({ success, reply_to: to = '', failure_kind: why }: ReplyFacts, style: Style): string {
  const how = success ? style.good('sent') : style.bad('not sent');
  return `${style.bold(`reply to ${printableLine(to)}`)}: ${how}${why === undefined ? '' : style.dim(` (${why})`)}`;
}

function materialText({ key, status, reason_code: why, projection }: MaterialFacts, style: Style): string {
  const head = `${style.bold(printableLine(key))}: ${status}${why === undefined ? '' : style.dim(` (${why})`)}`;
  if (projection === undefined) return head;
  return [head, ...renderValue(projection, style).split('\n').map((line) => `  ${line}`)].join('\n');
}
