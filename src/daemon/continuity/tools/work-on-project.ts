import { z } from 'zod';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { startWork, type StartWorkDeps } from '../startup/start-work.js';
import { startupOutputSchema } from '../startup/startup-output.js';
import { workSource } from '../startup/work-source.js';

const input = z
  .strictObject({
    instruction: z.string().meta({ description: 'What is to be done, 1 to 4,000 characters' }),
    project: projectSelector.optional(),
    client_id: z.string().min(1).max(64).optional().meta({ description: '"local", together with path' }),
    path: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'An absolute folder: its project, or the Git work tree around it, which is then registered' }),
    session_id: sessionSelector.optional(),
    mode: z.enum(['checkout', 'worktree']).optional().meta({ description: 'checkout works in the project itself; worktree in a new Git worktree of it' }),
    base_ref: z.string().min(1).optional().meta({ description: 'With mode worktree: the commit to start from' }),
    guidance_profile: z.enum(['direct', 'host_code_mode']).optional(),
    include_extension_catalog: z.boolean().optional(),
  })
  .superRefine((selection, context) => {
    const source = workSource(selection);
    if ('problem' in source) context.addIssue({ code: 'custom', message: source.problem });
  });

/** `work_on_project`: the start of a coding task, or the next attempt of exactly the Session that is named. */
export function workOnProject(deps: StartWorkDeps): Tool {
  return defineTool(
    {
      name: 'work_on_project',
      title: 'Work on a project',
      summary: 'Starts a coding task on a project, or resumes exactly the Session that session_id names.',
      description:
        'Give one source: project; or client_id with path; or neither with session_id, whose own project is taken then. ' +
        'Without session_id every call starts a new Session. Mode worktree makes and registers a detached Git worktree at ' +
        'base_ref (HEAD when left out); the path of one that was made so resumes it instead. Closing removes nothing.',
      category: 'workflow',
      visibility: 'model_visible',
      effect: 'mutate',
      risk: 'workflow_manage',
      approval: 'none',
      idempotency: 'non_idempotent',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'own',
      project: 'own',
      path_hint: 'none',
      destructive: false,
      shell_like: false,
      direct_rank: 10,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'none',
      telemetry: 'work_on_project',
      recorded_inputs: [
        'project',
        'client_id',
        'session_id',
        'mode',
        'base_ref',
        'guidance_profile',
        'include_extension_catalog',
      ],
      cli: { positionals: ['instruction'] },
      input,
      output: startupOutputSchema,
    },
    (selection, call) => startWork(deps, selection, call),
  );
}
