import { PURPOSES, type Purpose } from '../../../protocol/execution-state.js';
import type { SessionEvent } from '../../sessions/index.js';

/** Purposes of commands that check or produce something (spec 06 §2). */
const CHECK_PURPOSES: ReadonlySet<string> = new Set<Purpose>(['validation', 'test', 'build', 'format', 'release']);

const OPAQUE_IDENTITY = /^(?:command|target):[0-9a-f]{24}$/;

/** Whether it has the form of an identity that a tool gives: `command:<24 hex>` or `target:<24 hex>`. */
export function isCheckIdentity(text: string): boolean {
  return OPAQUE_IDENTITY.test(text);
}

/** What a command was run for, as far as its event says. */
export function purposeOf(event: SessionEvent): Purpose | null {
  const said = event.validation_output_summary?.purpose ?? event.input_summary?.['purpose'];
  return PURPOSES.find((purpose) => purpose === said) ?? null;
}

/** Whether a call checked something, by its purpose or by the name of its assertion. */
export function isCheck(event: SessionEvent): boolean {
  const purpose = purposeOf(event);
  return event.assertion_name !== undefined || (purpose !== null && CHECK_PURPOSES.has(purpose));
}

/** Whether a structured validator was run: its output is read by a parser, and it has a target. */
export function isValidator(event: SessionEvent): boolean {
  return event.validation_output_summary?.evidence !== undefined || identityOf(event)?.startsWith('target:') === true;
}

/**
 * What a check is the same check by: its assertion's name, else the opaque identity
 * that its tool gave it (`command:<24 hex>`, `target:<24 hex>`), within its project.
 * Null where the event carries neither, and then nothing later resolves it.
 */
export function checkIdentity(event: SessionEvent): string | null {
  const identity = event.assertion_name !== undefined ? `assertion:${event.assertion_name}` : identityOf(event);
  return identity === null ? null : `${event.resolved_project ?? ''} ${identity}`;
}

/** The part of a check's identity that its project is not: `assertion:…`, `target:…` or `command:…`. */
export function checkName(identity: string): string {
  return identity.slice(identity.indexOf(' ') + 1);
}

function identityOf(event: SessionEvent): string | null {
  const given = event.context_result_summary?.['validation_identity'];
  return typeof given === 'string' ? given : null;
}
