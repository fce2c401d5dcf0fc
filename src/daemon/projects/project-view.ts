import { z } from 'zod';
import type { ProjectRef } from '../../protocol/ids.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import type { RegisteredProject } from './registered-project.js';

/** A project as tools show it. */
export const projectViewSchema = z.object({
  project: z.string(),
  project_ref: z.string(),
  name: z.string(),
  client_id: z.string(),
  path: z.string(),
  description: z.string().nullable(),
  allow_patch: z.boolean(),
  revision: z.number().int(),
  registered_at: z.number().int(),
});

/** A project and its ref as every project tool shows them. */
export function projectView(project: RegisteredProject, ref: ProjectRef): JsonObject {
  return {
    project: project.projectId,
    project_ref: ref,
    name: project.name,
    client_id: project.clientId,
    path: project.path,
    description: project.description,
    allow_patch: project.allowPatch,
    revision: project.revision,
    registered_at: project.registeredAt,
  };
}
