import { createHash } from 'node:crypto';
import type { Purpose } from '../../protocol/execution-state.js';
import type { ExecutionPlan } from './plan.js';

const CHECK_PURPOSES: ReadonlySet<Purpose> = new Set<Purpose>(['validation', 'test', 'build', 'format', 'release']);

/** Whether a command was run to check or to produce something, so that its end is evidence. */
export function isCheckPurpose(purpose: Purpose): boolean {
  return CHECK_PURPOSES.has(purpose);
}

/**
 * What makes two plain commands the same check (spec 06 §2): the purpose and the
 * command's text with white space collapsed, hashed, so that the text is in no store.
 * Null for a purpose that checks nothing.
 */
export function commandIdentity(purpose: Purpose, command: string): string | null {
  if (!isCheckPurpose(purpose)) return null;
  const text = command.trim().replace(/\s+/g, ' ');
  return `command:${createHash('sha256').update(`${purpose}\0${text}`).digest('hex').slice(0, 24)}`;
}

/** What makes a plan's run the same check as another: its validator's target, else its command. */
export function checkIdentity(plan: ExecutionPlan): string | null {
  return plan.validator?.identity ?? commandIdentity(plan.purpose, plan.commandText);
}
