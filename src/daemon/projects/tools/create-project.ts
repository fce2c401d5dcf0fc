import { z } from 'zod';
import { PROJECT_TEMPLATES } from '../../../protocol/runner/project.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { clientId, projectDescription, projectName, shortId, unknownClient } from '../inputs.js';
import { projectViewSchema } from '../project-view.js';
import { LOCAL_CLIENT } from '../registered-project.js';
import { registrationOutcome } from '../registration-outcome.js';
import type { Registry } from '../registry.js';
import { REGISTERING_TOOL } from '../registering-tool.js';

/** `create_project` (spec 04 §7.2): a new folder, registered; a folder with anything in it is refused. */
export function createProject(registry: Registry): Tool {
  return defineTool(
    {
      ...REGISTERING_TOOL,
      name: 'create_project',
      title: 'Create a project',
      summary: 'Makes a new folder, optionally with a README and a Git repository, and registers it.',
      risk: 'project_write',
      recorded_inputs: ['client_id', 'id', 'name', 'allow_patch', 'template', 'git_init', 'adopt_existing_empty'],
      cli: { positionals: ['path'] },
      input: z.strictObject({
        client_id: clientId.default(LOCAL_CLIENT),
        path: z.string().min(1).meta({ description: 'The absolute path of the new folder; its parent exists' }),
        id: shortId.optional(),
        name: projectName.optional(),
        description: projectDescription.optional(),
        allow_patch: z.boolean().default(true).meta({ description: 'Whether tools may edit its files' }),
        template: z.enum(PROJECT_TEMPLATES).default('empty'),
        git_init: z.boolean().default(false).meta({ description: 'Start a Git repository in it' }),
        adopt_existing_empty: z.boolean().default(false).meta({ description: 'Accept an empty folder that exists' }),
      }),
      output: projectViewSchema.extend({
        outcome: z.enum(['registered', 'updated', 'unchanged']),
        state_changed: z.boolean(),
        created_files: z.array(z.string()),
      }),
    },
    async (input, call) => {
      const refused = unknownClient(input.client_id);
      if (refused !== null) return { result: refused };
      const made = await registry.create(
        {
          path: input.path,
          template: input.template,
          gitInit: input.git_init,
          adoptExistingEmpty: input.adopt_existing_empty,
        },
        {
          overwrite: false,
          allowPatch: input.allow_patch,
          ...(input.id === undefined ? {} : { shortId: input.id }),
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.description === undefined ? {} : { description: input.description }),
        },
        call,
      );
      if ('failure' in made) return { result: made.failure };
      return registrationOutcome(registry, made.registration, call.principal, { files: made.files });
    },
  );
}
