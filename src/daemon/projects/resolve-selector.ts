import { parseProjectId, parseProjectRef, type ProjectId } from '../../protocol/ids.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import { LOCAL_CLIENT, type RegisteredProject } from './registered-project.js';

/** How many projects an ambiguous or unknown selector is answered with. */
const MAX_CANDIDATES = 8;

/** What the registry says to a selector; the caller may see all of it. */
export interface SelectorSource {
  find(projectId: ProjectId): RegisteredProject | null;
  named(word: string): readonly RegisteredProject[];
  registered(): readonly RegisteredProject[];
  /** The registered project that this principal's `~pN` still pins, or null. */
  pinned(number: number): RegisteredProject | null;
}

/** The one project that a selector means, or why there is not one. */
export type SelectorAnswer = { readonly project: RegisteredProject } | { readonly failure: Failure };

/**
 * What a project selector means (spec 07 §6): `~pN`, the whole id, `local:NAME`, or a
 * short id or name that only one project has. Anything that starts `~p` is a ref and
 * nothing else; every way in which a ref can fail looks alike.
 */
export function resolveSelector(selector: string, source: SelectorSource): SelectorAnswer {
  if (selector.startsWith('~p')) return resolveRef(selector, source);
  const id = parseProjectId(selector.startsWith(`${LOCAL_CLIENT}:`) ? `agent:${selector}` : selector);
  if (id !== null) {
    const project = source.find(id);
    return project === null || project.unregisteredAt !== null ? { failure: unknown(selector, source) } : { project };
  }
  const named = source.named(selector);
  const [first, second] = named;
  if (first === undefined) return { failure: unknown(selector, source) };
  if (second === undefined) return { project: first };
  return {
    failure: failure('ambiguous_project', 'several projects go by that name; use one of their ids', {
      candidates: named.slice(0, MAX_CANDIDATES).map(({ projectId }) => projectId),
      candidates_truncated: named.length > MAX_CANDIDATES,
      state_changed: false,
    }),
  };
}

function resolveRef(selector: string, source: SelectorSource): SelectorAnswer {
  const ref = parseProjectRef(selector);
  const project = ref === null ? null : source.pinned(Number(ref.slice(2)));
  if (project !== null) return { project };
  return {
    failure: failure('unknown_project_ref', 'that ~p ref names no project that is still registered; list_projects shows them'),
  };
}

/** Registered ids that hold what was asked for, or that it holds: the likely slips. */
function unknown(selector: string, source: SelectorSource): Failure {
  const asked = selector.slice(selector.lastIndexOf(':') + 1).toLowerCase();
  const candidates =
    asked === ''
      ? []
      : source
          .registered()
          .filter(({ shortId, name }) =>
            [shortId, name].some((word) => word.toLowerCase().includes(asked) || asked.includes(word.toLowerCase())),
          )
          .slice(0, MAX_CANDIDATES)
          .map(({ projectId }) => projectId);
  return failure('unknown_project', 'no such project is registered; list_projects shows them, register_project adds one', {
    candidates,
    state_changed: false,
  });
}
