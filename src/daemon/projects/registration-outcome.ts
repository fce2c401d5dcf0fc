import { success } from '../../protocol/tool-result.js';
import type { HandlerOutcome } from '../kernel/tool.js';
import { projectView } from './project-view.js';
import type { Registration, Registry } from './registry.js';
import type { Principal } from '../kernel/principal.js';

/** What a registering tool answers: the project as it stands, and whether anything changed. */
export async function registrationOutcome(
  registry: Registry,
  registration: Registration,
  principal: Principal,
  created: { readonly files: readonly string[] } | null = null,
): Promise<HandlerOutcome> {
  const ref = await registry.refFor(registration.project, principal);
  const changed = registration.outcome !== 'unchanged' || created !== null;
  return {
    result: success({
      outcome: registration.outcome,
      state_changed: changed,
      ...projectView(registration.project, ref),
      ...(created === null ? {} : { created_files: created.files }),
    }),
    facts: {
      effect: { stateChanged: changed },
      contextResultSummary: { outcome: registration.outcome, project: registration.project.projectId },
    },
  };
}
