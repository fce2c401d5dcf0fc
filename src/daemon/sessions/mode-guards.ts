import type { SessionGuards } from '../kernel/ports.js';
import type { RequestedCapability } from './door.js';

export type SessionMode = 'normal' | 'read_only';

/** What a Session may do: its mode, and the guards that follow from it. */
export interface Capability {
  readonly mode: SessionMode;
  readonly guards: SessionGuards;
}

/** `read_only` forces both guards; `normal` has those that were asked for (spec 01 §2). */
export function capabilityOf(requested: RequestedCapability): Capability {
  const mode = requested.mode ?? 'normal';
  const readOnly = mode === 'read_only';
  return {
    mode,
    guards: {
      deny_write_tools: readOnly || requested.guards?.deny_write_tools === true,
      deny_shell_tools: readOnly || requested.guards?.deny_shell_tools === true,
    },
  };
}

/** The capability of a Session after a resume. */
export type ResumedCapability =
  | { readonly capability: Capability; readonly requested: Capability; readonly changed: boolean }
  | { readonly denied: true };

/**
 * Weighs a resume's request against what is stored (spec 01 §9): in the same mode guards
 * only add up; from `read_only` to `normal` takes the guards of the request and needs
 * `project:write`; from `normal` to `read_only` is always allowed.
 */
export function resumeCapability(
  stored: Capability,
  request: RequestedCapability,
  mayUpgrade: boolean,
): ResumedCapability {
  const requested = capabilityOf(request);
  if (stored.mode === 'read_only' && requested.mode === 'normal' && !mayUpgrade) return { denied: true };
  const sameMode = stored.mode === requested.mode;
  const capability = sameMode ? { mode: stored.mode, guards: either(stored.guards, requested.guards) } : requested;
  return { capability, requested, changed: !sameCapability(stored, capability) };
}

function either(one: SessionGuards, other: SessionGuards): SessionGuards {
  return {
    deny_write_tools: one.deny_write_tools || other.deny_write_tools,
    deny_shell_tools: one.deny_shell_tools || other.deny_shell_tools,
  };
}

function sameCapability(one: Capability, other: Capability): boolean {
  return (
    one.mode === other.mode &&
    one.guards.deny_write_tools === other.guards.deny_write_tools &&
    one.guards.deny_shell_tools === other.guards.deny_shell_tools
  );
}
