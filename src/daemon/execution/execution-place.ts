import { MAX_CWD_BYTES } from '../../protocol/execution-limits.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { SessionView } from '../kernel/ports.js';

export interface GivenDefaults {
  readonly cwd?: string | undefined;
  readonly shell?: 'sh' | 'bash' | undefined;
}

/** Where a program runs, and in which shell. */
export interface ExecutionPlace {
  /** Null is the project's root, or what the resource says. */
  readonly cwd: string | null;
  /** Null is the Runner's choice. */
  readonly shell: 'sh' | 'bash' | null;
  /** The host that it runs on, by its name; null is this machine. */
  readonly resource: string | null;
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
  const { resource = null } = defaults;
  if (resource !== null && !takesResource) return { failure: noResource(resource) };
  const cwd = given.cwd ?? defaults.default_cwd ?? null;
  if (resource === null && cwd !== null && Buffer.byteLength(cwd) > MAX_CWD_BYTES) return { failure: tooLong() };
  return { cwd, shell: given.shell ?? defaults.default_shell ?? null, resource };
}

/** A folder of another machine may have a longer name than one of a project. */
function tooLong(): Failure {
  return failure('invalid_arguments', `cwd is longer than ${MAX_CWD_BYTES} UTF-8 bytes; name a folder inside the project.`, {
    failure_kind: 'invalid_arguments',
    field: 'cwd',
    state_changed: false,
  });
}

function noResource(resource: string): Failure {
  return failure(
    'unsupported_resource',
    `This Session works on the resource "${resource}", where this tool never runs; use a Session without a resource.`,
    { failure_kind: 'unsupported_resource', resource, state_changed: false },
  );
}
