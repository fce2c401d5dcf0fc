import { z } from 'zod';
import { failure, success, type Failure, type JsonObject } from '../../../protocol/tool-result.js';
import type { CallContext } from '../../kernel/call-context.js';
import { refuseCall } from '../../kernel/call-refused.js';
import type { ProjectPort, SessionView } from '../../kernel/ports.js';
import { defineTool, projectSelector, sessionSelector, type HandlerOutcome, type Tool } from '../../kernel/tool.js';
import type { ProjectsAtWork } from '../../projects/index.js';
import type { RunnerPort } from '../../runner-link/port.js';
import type { SessionsDomain, SessionSnapshot, WorkBegun } from '../../sessions/index.js';
import { continuationFeedback, FRESH_FEEDBACK, STARTUP_EXPLORATION } from '../feedback/continuation-feedback.js';
import { instructionStatus } from '../startup/instruction-status.js';
import { observeProject, type ProjectObservation } from '../startup/observe-project.js';
import type { ObservedInstructions } from '../startup/observed-instructions.js';
import { resolveProject, type DecideRegistration, type ProjectForWork } from '../startup/resolve-project.js';
import { projectMismatch, resumeTarget } from '../startup/resume-target.js';
import { bootstrapTelemetry, startupOutput, startupOutputSchema, type StartupFacts } from '../startup/startup-output.js';
import { workSource } from '../startup/work-source.js';

const MAX_INSTRUCTION_CHARACTERS = 4_000;

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
    mode: z.enum(['checkout', 'worktree']).optional().meta({ description: 'checkout works in the project itself' }),
    base_ref: z.string().min(1).optional().meta({ description: 'With mode worktree: the commit to start from' }),
    guidance_profile: z.enum(['direct', 'host_code_mode']).optional(),
    include_extension_catalog: z.boolean().optional(),
  })
  .superRefine((selection, context) => {
    const source = workSource(selection);
    if ('problem' in source) context.addIssue({ code: 'custom', message: source.problem });
  });
type Input = z.output<typeof input>;

export interface WorkOnProjectDeps {
  readonly sessions: SessionsDomain;
  readonly projects: ProjectPort & ProjectsAtWork;
  readonly runner: RunnerPort;
  readonly instructions: ObservedInstructions;
  readonly decideRegistration: DecideRegistration;
  /** Told of a fault of ours that the caller only learns the name of. */
  readonly onFault: (error: unknown) => void;
}

/** `work_on_project`: the start of a coding task, or the next attempt of exactly the Session that is named. */
export function workOnProject(deps: WorkOnProjectDeps): Tool {
  return defineTool(
    {
      name: 'work_on_project',
      title: 'Work on a project',
      summary: 'Starts a coding task on a project, or resumes exactly the Session that session_id names.',
      description:
        'Give one source: project; or client_id with path; or neither with session_id, whose own project is taken then. ' +
        'Without session_id every call starts a new Session. base_ref belongs to mode worktree.',
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

/** The order of spec 01 §9: no git, file or Runner work before Session, project and recorder are known to agree. */
async function startWork(deps: WorkOnProjectDeps, selection: Input, call: CallContext): Promise<HandlerOutcome> {
  const source = workSource(selection);
  if ('problem' in source) return { result: failure('invalid_arguments', source.problem, { state_changed: false }) };
  const instruction = codingInstruction(selection.instruction);
  const resuming =
    selection.session_id === undefined ? null : resumeTarget(deps, selection.session_id, call.principal);
  const target = await resolveProject(deps, source, resuming, call);
  if (selection.mode === 'worktree') return { result: refuseWorktree(target, resuming) };
  const observation = await observeProject(deps.runner, target.project, resuming?.sessionId ?? null, call);
  const before = resuming === null ? null : deps.sessions.snapshot(resuming.sessionId);
  const begun = await begin(deps, target, resuming, instruction, observation, call);
  if ('failure' in begun) return { result: begun.failure };
  return answer(deps, { selection, target, observation, before, begun }, call);
}

/** The instruction, trimmed. The Sessions domain redacts and bounds it again; here it decides before any work. */
function codingInstruction(given: string): string {
  const instruction = given.trim();
  const characters = [...instruction].length;
  if (characters >= 1 && characters <= MAX_INSTRUCTION_CHARACTERS) return instruction;
  return refuseCall(
    failure(
      'invalid_coding_instruction',
      characters === 0 ? 'say what is to be done' : `an instruction has at most ${MAX_INSTRUCTION_CHARACTERS} characters`,
      { state_changed: false },
    ),
  );
}

/** A managed worktree is a project of its own, so the source's Session can never be resumed on it. */
function refuseWorktree(target: ProjectForWork, resuming: SessionView | null): Failure {
  if (resuming !== null) return projectMismatch('session', resuming.project, null);
  return failure('capability_unavailable', 'managed worktrees are not available; use mode checkout', {
    capability: 'managed_worktree',
    project: target.project.id,
    state_changed: target.newlyRegistered,
  });
}

/** Step 7: the Session, or its resumption, and the instruction, in one commit. */
function begin(
  deps: WorkOnProjectDeps,
  target: ProjectForWork,
  resuming: SessionView | null,
  instruction: string,
  observation: ProjectObservation,
  call: CallContext,
): Promise<WorkBegun | { readonly failure: Failure }> {
  if (resuming === null) {
    return deps.sessions.createWork({
      project: target.project.id,
      title: instruction,
      owner: call.principal,
      instruction,
      transport: call.adapter,
    });
  }
  return deps.sessions.resumeWork({
    sessionId: resuming.sessionId,
    mode: 'normal',
    instruction,
    transport: call.adapter,
    mayUpgrade: call.principal.scopes.has('project:write') || call.principal.scopes.has('admin'),
    contextRefreshed: observation.instructions !== null,
  });
}

interface Begun {
  readonly selection: Input;
  readonly target: ProjectForWork;
  readonly observation: ProjectObservation;
  readonly before: SessionSnapshot | null;
  readonly begun: WorkBegun;
}

/** Step 8: the answer. The work has begun by now, whatever becomes of it. */
async function answer(deps: WorkOnProjectDeps, work: Begun, call: CallContext): Promise<HandlerOutcome> {
  const { session } = work.begun;
  const workedOnSession = { sessionId: session.sessionId, project: session.project };
  const effect = { stateChanged: true };
  try {
    const facts = await startupFacts(deps, work, call);
    return {
      result: success(startupOutput(facts)),
      facts: {
        effect,
        workedOnSession,
        telemetry: bootstrapTelemetry(facts),
        contextResultSummary: {
          continuation: work.before === null ? 'created' : 'resumed_explicitly',
          instructions: facts.instructionStatus,
        },
      },
    };
  } catch (error) {
    deps.onFault(error);
    return {
      result: failure(
        'work_on_project_projection_failed',
        'the work has begun, but its summary could not be made; read_session_summary shows the Session',
        { session_id: session.sessionId, state_changed: true },
      ),
      facts: { effect, workedOnSession },
    };
  }
}

async function startupFacts(deps: WorkOnProjectDeps, work: Begun, call: CallContext): Promise<StartupFacts> {
  const { begun, target, observation, before, selection } = work;
  const { sessionId } = begun.session;
  const status = instructionStatus(observation.instructions, deps.instructions.of(sessionId));
  if (observation.instructions !== null && status !== 'reused' && status !== 'unavailable') {
    await deps.instructions.remember(sessionId, observation.instructions.sources);
  }
  return {
    begun,
    resumed: before !== null,
    target,
    observation,
    instructionStatus: status,
    sessionRef: deps.sessions.refFor(sessionId, call.principal),
    projectRef: await deps.projects.projectRef(target.project, call.principal),
    feedback: before === null ? FRESH_FEEDBACK : feedbackOf(before, observation),
    includeExtensionCatalog: selection.include_extension_catalog === true,
  };
}

function feedbackOf(before: SessionSnapshot, observation: ProjectObservation): JsonObject {
  return continuationFeedback(before, observation.jobs.ofSession, {
    explorationLimit: STARTUP_EXPLORATION,
    atStartup: true,
  });
}
