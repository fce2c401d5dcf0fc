import type { SessionId } from '../../../protocol/ids.js';
import { failure, success, type Failure, type JsonObject } from '../../../protocol/tool-result.js';
import type { CallContext } from '../../kernel/call-context.js';
import { CallRefused, refuseCall } from '../../kernel/call-refused.js';
import type { ProjectPort, SessionView } from '../../kernel/ports.js';
import type { HandlerOutcome } from '../../kernel/tool.js';
import type { ProjectsAtWork } from '../../projects/index.js';
import type { RunnerPort } from '../../runner-link/port.js';
import type { BoardSnapshot, SessionsDomain, WorkBegun } from '../../sessions/index.js';
import { taskHistory, type TaskHistory } from '../evidence/task-history.js';
import { continuationFeedback, FRESH_FEEDBACK, STARTUP_EXPLORATION } from '../feedback/continuation-feedback.js';
import { readBoard } from '../read-board.js';
import { bootstrapWorktree, refuseSourceSession, type WorktreeForWork } from './bootstrap-worktree.js';
import { instructionStatus } from './instruction-status.js';
import { observeProject, type ProjectObservation } from './observe-project.js';
import type { ObservedInstructions } from './observed-instructions.js';
import { resolveProject, type DecideRegistration, type ProjectForWork } from './resolve-project.js';
import { resumeTarget } from './resume-target.js';
import { bootstrapTelemetry, startupOutput, type StartupFacts } from './startup-output.js';
import { workSource, type WorkSelection } from './work-source.js';

const MAX_INSTRUCTION_CHARACTERS = 4_000;

/** What `work_on_project` is asked for. */
export interface WorkRequest extends WorkSelection {
  readonly instruction: string;
  readonly include_extension_catalog?: boolean | undefined;
}

/** What starting work needs. */
export interface StartWorkDeps {
  readonly sessions: SessionsDomain;
  readonly projects: ProjectPort & ProjectsAtWork;
  readonly runner: RunnerPort;
  readonly instructions: ObservedInstructions;
  readonly decideRegistration: DecideRegistration;
  /** Told of a fault of ours that the caller only learns the name of. */
  readonly onFault: (error: unknown) => void;
}

/** The order of spec 01 §9: no git, file or Runner work before Session, project and recorder are known to agree. */
export async function startWork(deps: StartWorkDeps, selection: WorkRequest, call: CallContext): Promise<HandlerOutcome> {
  const source = workSource(selection);
  if ('problem' in source) return { result: failure('invalid_arguments', source.problem, { state_changed: false }) };
  const instruction = codingInstruction(selection.instruction);
  const resuming =
    selection.session_id === undefined ? null : resumeTarget(deps, selection.session_id, call.principal);
  if (selection.mode === 'worktree') refuseSourceSession(deps.projects, resuming);
  const named = await resolveProject(deps, source, resuming, call);
  return keepingRegistration(named, async () => {
    if (selection.mode !== 'worktree') return workOn(deps, { selection, instruction, resuming, target: named, worktree: null }, call);
    const { target, worktree } = await bootstrapWorktree(deps, named, resuming, selection.base_ref, call);
    return keepingRegistration(target, () => workOn(deps, { selection, instruction, resuming, target, worktree }, call));
  });
}

/** A call whose project is known. */
interface Work {
  readonly selection: WorkRequest;
  readonly instruction: string;
  readonly resuming: SessionView | null;
  readonly target: ProjectForWork;
  /** The managed worktree that the project is, in mode worktree. */
  readonly worktree: WorktreeForWork | null;
}

/** Steps 6 to 8. A worktree that gets no Session is left for the next call to take up. */
async function workOn(deps: StartWorkDeps, work: Work, call: CallContext): Promise<HandlerOutcome> {
  const { instruction, resuming, target } = work;
  const derived = work.worktree?.derived ?? null;
  try {
    const observation = await observeProject(deps.runner, target.project, resuming?.sessionId ?? null, call);
    const before = resuming === null ? null : previousAttempt(deps, resuming.sessionId);
    const beginNow = (): ReturnType<typeof begin> => begin(deps, target, resuming, instruction, observation, call);
    const begun = await (derived === null ? beginNow() : derived.handOver(beginNow));
    if ('failure' in begun) return { result: begun.failure };
    return await answer(deps, { ...work, observation, before, begun }, call);
  } finally {
    derived?.release();
  }
}

/** What a resumed Session says before the new instruction stands in it. */
interface PreviousAttempt {
  readonly history: TaskHistory;
  readonly board: BoardSnapshot | null;
}

function previousAttempt({ sessions, onFault }: StartWorkDeps, sessionId: SessionId): PreviousAttempt | null {
  const snapshot = sessions.snapshot(sessionId);
  return snapshot === null ? null : { history: taskHistory(snapshot), board: readBoard(sessions, sessionId, onFault) };
}

/** A registration that was made on the way stands, whatever the rest of the call comes to; a failure says so. */
async function keepingRegistration(
  target: ProjectForWork,
  rest: () => Promise<HandlerOutcome>,
): Promise<HandlerOutcome> {
  const outcome = await rest().catch((error: unknown): HandlerOutcome => {
    if (error instanceof CallRefused) return { result: error.failure };
    throw error;
  });
  if (!target.newlyRegistered || outcome.result.success) return outcome;
  const output = { registered_project: target.project.id, ...outcome.result.output, state_changed: true };
  return { ...outcome, result: { ...outcome.result, output } };
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

/** Step 7: the Session, or its resumption, and the instruction, in one commit. */
function begin(
  deps: StartWorkDeps,
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

interface Begun extends Work {
  readonly observation: ProjectObservation;
  readonly before: PreviousAttempt | null;
  readonly begun: WorkBegun;
}

/** Step 8: the answer. The work has begun by now, whatever becomes of it. */
async function answer(deps: StartWorkDeps, work: Begun, call: CallContext): Promise<HandlerOutcome> {
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

async function startupFacts(deps: StartWorkDeps, work: Begun, call: CallContext): Promise<StartupFacts> {
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
    worktree: work.worktree,
    observation,
    instructionStatus: status,
    sessionRef: deps.sessions.refFor(sessionId, call.principal),
    projectRef: await deps.projects.projectRef(target.project, call.principal),
    feedback: before === null ? FRESH_FEEDBACK : feedbackOf(before, observation),
    includeExtensionCatalog: selection.include_extension_catalog === true,
  };
}

function feedbackOf(before: PreviousAttempt, observation: ProjectObservation): JsonObject {
  return continuationFeedback(
    { ...before, jobs: observation.jobs.ofSession },
    { explorationLimit: STARTUP_EXPLORATION, atStartup: true, validation: true },
  );
}
