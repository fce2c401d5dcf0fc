import { z } from 'zod';
import { failure, success, type Failure, type ToolResult } from '../../../protocol/tool-result.js';
import type { ProjectId } from '../../../protocol/ids.js';
import type { CallContext } from '../../kernel/call-context.js';
import type { ProjectPort } from '../../kernel/ports.js';
import { defineTool, projectSelector, type Tool } from '../../kernel/tool.js';
import { exceedsCharacters } from '../../redaction/index.js';
import { normalizeExecutionContext } from '../execution-context.js';
import { storableTitle } from '../instruction.js';
import type { Ledger } from '../ledger.js';
import { INSTRUCTION_CHARACTERS } from '../limits.js';
import { capabilityOf } from '../mode-guards.js';
import type { Selectors } from '../selectors.js';
import { headFacts } from '../summary.js';
import { ownerOf } from '../work.js';
import { executionContextInput, headOutput } from './shapes.js';
import { storageRefusal } from './storage-refusal.js';

const input = z.strictObject({
  project: projectSelector.optional(),
  title: z
    .string()
    .refine((title) => !exceedsCharacters(title, INSTRUCTION_CHARACTERS), {
      error: `at most ${INSTRUCTION_CHARACTERS} characters`,
    })
    .meta({ maxLength: INSTRUCTION_CHARACTERS })
    .optional(),
  mode: z.enum(['normal', 'read_only']).default('normal'),
  deny_write_tools: z.boolean().default(false),
  deny_shell_tools: z.boolean().default(false),
  execution_context: executionContextInput.optional(),
});

/** `start_session`: always creates, with or without a project; it appends no instruction. */
export function startSession(parts: {
  readonly ledger: Ledger;
  readonly selectors: Selectors;
  readonly projects: Pick<ProjectPort, 'resolve'>;
}): Tool {
  return defineTool(
    {
      name: 'start_session',
      title: 'Start a Session',
      summary: 'Create a Workflow Session without an instruction; work_on_project is the ordinary way.',
      category: 'session',
      visibility: 'model_hidden',
      effect: 'mutate',
      risk: 'workflow_manage',
      approval: 'none',
      idempotency: 'non_idempotent',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'none',
      project: 'own',
      path_hint: 'none',
      destructive: false,
      shell_like: false,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'none',
      recorded_inputs: ['project', 'mode', 'deny_write_tools', 'deny_shell_tools'],
      cli: { positionals: ['title'] },
      input,
      output: z.looseObject({ ...headOutput, session_ref: z.string().nullable() }),
    },
    async (given, call) => {
      const result = await start(parts, given, call);
      return { result, facts: { effect: { stateChanged: result.success } } };
    },
  );
}

async function start(
  { ledger, selectors, projects }: Parameters<typeof startSession>[0],
  given: z.output<typeof input>,
  call: CallContext,
): Promise<ToolResult> {
  const resolved = projectFor(projects, given.project, call);
  if ('failure' in resolved) return resolved.failure;
  const owner = ownerOf(call.principal, resolved.project);
  if ('failure' in owner) return owner.failure;
  const context = normalizeExecutionContext(given.execution_context ?? {}, resolved.project !== null);
  if ('failure' in context) return context.failure;
  try {
    const created = await ledger.create(
      {
        ...capabilityOf({
          mode: given.mode,
          guards: { deny_write_tools: given.deny_write_tools, deny_shell_tools: given.deny_shell_tools },
        }),
        ownerFingerprint: owner.fingerprint,
        project: resolved.project,
        title: storableTitle(given.title ?? null),
        executionContext: context.context,
        gitBaselineTree: null,
      },
      () => [],
    );
    if ('failure' in created) return created.failure;
    const { head } = created;
    return success({ ...headFacts(head), session_ref: selectors.refsFor([head], call.principal)[0] ?? null });
  } catch (error) {
    return storageRefusal(error, 'the Session was not created');
  }
}

/** The named project, which a recorder of another project refuses (spec 01 §3). */
function projectFor(
  projects: Pick<ProjectPort, 'resolve'>,
  selector: string | undefined,
  call: CallContext,
): { readonly project: ProjectId | null } | { readonly failure: Failure } {
  if (selector === undefined) return { project: null };
  const resolution = projects.resolve(selector, call.principal);
  if ('failure' in resolution) return resolution;
  const project = resolution.project.id;
  if (call.recorderProject !== null && call.recorderProject !== project) {
    return {
      failure: failure('session_project_mismatch', 'the recorder belongs to another project than this call', {
        mismatch: 'recorder',
        session_project: call.recorderProject,
        request_project: project,
        state_changed: false,
      }),
    };
  }
  return { project };
}
