import { z } from 'zod';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { clientId, projectDescription, projectName, shortId, unknownClient } from '../inputs.js';
import { projectViewSchema } from '../project-view.js';
import { LOCAL_CLIENT } from '../registered-project.js';
import { registrationOutcome } from '../registration-outcome.js';
import type { Registry } from '../registry.js';
import { REGISTERING_TOOL } from '../registering-tool.js';

/** `register_project` (spec 04 §7.2): an existing folder becomes a project; Git is optional. */
export function registerProject(registry: Registry): Tool {
  return defineTool(
    {
      ...REGISTERING_TOOL,
      name: 'register_project',
      title: 'Register a project',
      summary: 'Registers an existing folder as a project; the same folder again changes nothing.',
      recorded_inputs: ['client_id', 'id', 'name', 'allow_patch', 'overwrite'],
      cli: { positionals: ['path'] },
      input: z.strictObject({
        client_id: clientId.default(LOCAL_CLIENT),
        path: z.string().min(1).meta({ description: 'The absolute path of an existing folder' }),
        id: shortId.optional(),
        name: projectName.optional(),
        description: projectDescription.optional(),
        allow_patch: z.boolean().optional().meta({ description: 'Whether tools may edit its files; true at first' }),
        overwrite: z
          .boolean()
          .default(false)
          .meta({ description: 'Change an existing registration, or move its id to this folder' }),
      }),
      output: projectViewSchema.extend({
        outcome: z.enum(['registered', 'updated', 'unchanged']),
        state_changed: z.boolean(),
      }),
    },
    async (input, call) => {
      const refused = unknownClient(input.client_id);
      if (refused !== null) return { result: refused };
      const registration = await registry.register(
        input.path,
        {
          overwrite: input.overwrite,
          ...(input.id === undefined ? {} : { shortId: input.id }),
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.description === undefined ? {} : { description: input.description }),
          ...(input.allow_patch === undefined ? {} : { allowPatch: input.allow_patch }),
        },
        call,
      );
      if ('failure' in registration) return { result: registration.failure };
      return registrationOutcome(registry, registration, call.principal);
    },
  );
}
