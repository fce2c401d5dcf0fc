import { z } from 'zod';

/** The execution defaults of a call: types only, since their bounds have error kinds of their own. */
export const executionContextInput = z
  .strictObject({
    default_cwd: z.string().optional().meta({ description: 'Folder inside the project, or a path on the resource' }),
    default_shell: z
      .string()
      .optional()
      .meta({ enum: ['sh', 'bash'], description: 'Shell of run_shell, run_job and open_session_shell' }),
    resource: z.string().optional().meta({ description: 'A configured SSH resource that commands run on' }),
  })
  .meta({ description: 'Execution defaults' });

export const guardsOutput = z.object({ deny_write_tools: z.boolean(), deny_shell_tools: z.boolean() });

export const executionContextOutput = z.object({
  default_cwd: z.string().optional(),
  default_shell: z.enum(['sh', 'bash']).optional(),
  resource: z.string().optional(),
});

/** What every answer about a Session says of it. */
export const headOutput = {
  session_id: z.string(),
  project: z.string().nullable(),
  title: z.string().nullable(),
  mode: z.enum(['normal', 'read_only']),
  guards: guardsOutput,
  execution_context: executionContextOutput,
  lifecycle: z.enum(['active', 'closed']),
  created_at: z.int(),
  updated_at: z.int(),
};
