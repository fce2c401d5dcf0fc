import { failure, type Failure } from '../../protocol/tool-result.js';
import type { SessionView } from '../kernel/ports.js';

export interface GivenDefaults {
  readonly cwd?: string | undefined;
  readonly shell?: 'sh' | 'bash' | undefined;
}

/** What is used when neither the call nor its Session says: the project's root, and the Runner's choice of shell. */
export interface ExecutionPlace {
  readonly cwd: string | null;
  readonly shell: 'sh' | 'bash' | null;
}

/**
 * Where and in which shell a command runs: the call's own arguments, each else the
 * default of its business Session (spec 03 §9). A Session whose commands belong on a
 * named resource never falls back to this machine.
 *
 * @param takesResource whether the tool can run on a resource at all
 */
export function executionPlace(
  session: SessionView | null,
  given: GivenDefaults,
  takesResource: boolean,
): ExecutionPlace | { readonly failure: Failure } {
  const defaults = session?.executionContext ?? {};
  if (defaults.resource !== undefined) return { failure: takesResource ? noTransport(defaults.resource) : noResource(defaults.resource) };
  return { cwd: given.cwd ?? defaults.default_cwd ?? null, shell: given.shell ?? defaults.default_shell ?? null };
}

function noResource(resource: string): Failure {
  return failure(
    'unsupported_resource',
    `This Session works on the resource "${resource}", where this tool never runs; use a Session without a resource.`,
    { failure_kind: 'unsupported_resource', resource, state_changed: false },
  );
}

function noTransport(resource: string): Failure {
  return failure(
    'capability_unavailable',
    `This Session works on the resource "${resource}", and this wc can not reach resources; use a Session without one.`,
    { failure_kind: 'capability_unavailable', resource, state_changed: false },
  );
}
