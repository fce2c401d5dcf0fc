import { z } from 'zod';
import type { ProjectRef } from '../../../protocol/ids.js';
import type { JsonObject } from '../../../protocol/tool-result.js';
import type { TelemetryFacts } from '../../kernel/telemetry-facts.js';
import type { WorkBegun } from '../../sessions/index.js';
import { jobsBlock } from '../feedback/jobs-block.js';
import { gitView, workspaceStatus } from '../workspace-view.js';
import type { WorktreeForWork } from './bootstrap-worktree.js';
import type { InstructionStatus } from './instruction-status.js';
import type { ProjectObservation } from './observe-project.js';
import type { ProjectForWork } from './resolve-project.js';

/** Everything that the answer is made of; nothing is looked up any more. */
export interface StartupFacts {
  readonly begun: WorkBegun;
  readonly resumed: boolean;
  readonly target: ProjectForWork;
  readonly worktree: WorktreeForWork | null;
  readonly observation: ProjectObservation;
  readonly instructionStatus: InstructionStatus;
  readonly sessionRef: string | null;
  readonly projectRef: ProjectRef;
  readonly feedback: JsonObject;
  readonly includeExtensionCatalog: boolean;
}

const guards = z.object({ deny_write_tools: z.boolean(), deny_shell_tools: z.boolean() });

/** The answer of `work_on_project`: compact, without instruction bodies (spec 01 §9). */
export const startupOutputSchema = z.object({
  session_id: z.string(),
  session_ref: z.string().optional(),
  project: z.string(),
  project_ref: z.string(),
  resolved_project: z.string(),
  continuation: z.enum(['created', 'resumed_explicitly']),
  workspace: z.object({
    status: z.enum(['clean', 'dirty', 'conflicted', 'unavailable', 'not_applicable']),
    git: z.looseObject({}).nullable(),
    reason_code: z.string().optional(),
  }),
  instructions: z.object({
    status: z.enum(['loaded', 'reused', 'changed', 'not_found', 'unavailable']),
    sources: z.array(z.object({ source_scope: z.string(), path: z.string(), fingerprint: z.string() })),
  }),
  semantic_navigation: z.looseObject({ status: z.string() }),
  continuation_feedback: z.looseObject({ status: z.enum(['available', 'not_applicable', 'unknown']) }),
  execution_context: z.looseObject({}).optional(),
  readiness: z
    .object({ mode: z.enum(['normal', 'read_only']), guards, capability_changed: z.boolean() })
    .optional(),
  project_resolution: z
    .looseObject({ source: z.enum(['session', 'path']), newly_registered: z.boolean(), path: z.string() })
    .optional(),
  worktree: z
    .looseObject({
      outcome: z.enum(['managed_worktree_created', 'managed_worktree_recovered']).optional(),
      path: z.string(),
      operation_id: z.string(),
      source_project: z.string(),
      base_ref: z.string(),
      base_commit: z.string(),
    })
    .optional(),
  jobs: z.looseObject({}).optional(),
  extensions: z.looseObject({}).optional(),
  blockers: z.array(z.string()).optional(),
  warnings: z.array(z.string()).optional(),
  suggested_next_actions: z.array(z.string()).optional(),
});

/** Language servers are not part of this product yet (spec 00, decision 68). */
const SEMANTIC_NAVIGATION: JsonObject = {
  supported: false,
  available: null,
  status: 'not_observed',
  capability: null,
  reason_code: 'capability_unavailable',
};

const NO_EXTENSIONS: JsonObject = {
  skills: { status: 'unavailable', reason_code: 'capability_unavailable' },
  plugins: { status: 'unavailable', reason_code: 'capability_unavailable' },
};

/** The answer; parts that say nothing new are left out. */
export function startupOutput(facts: StartupFacts): JsonObject {
  const { begun, target, observation, feedback } = facts;
  const { session } = begun;
  const { suggested_next_actions: nextActions, ...continuation } = feedback;
  const guarded = session.guards.deny_write_tools || session.guards.deny_shell_tools;
  const jobs = observation.jobs.ofProject;
  const blockers = blockersOf(observation);
  const warnings = warningsOf(facts);
  return {
    session_id: session.sessionId,
    ...(facts.sessionRef === null ? {} : { session_ref: facts.sessionRef }),
    project: target.project.id,
    project_ref: facts.projectRef,
    resolved_project: target.project.id,
    continuation: facts.resumed ? 'resumed_explicitly' : 'created',
    workspace: workspaceBlock(observation),
    instructions: {
      status: facts.instructionStatus,
      sources: (observation.instructions?.sources ?? []).map(({ source_scope, path, fingerprint }) => ({
        source_scope,
        path,
        fingerprint,
      })),
    },
    semantic_navigation: SEMANTIC_NAVIGATION,
    continuation_feedback: continuation,
    ...(Object.keys(session.executionContext).length === 0 ? {} : { execution_context: { ...session.executionContext } }),
    ...(begun.capabilityChanged || guarded
      ? {
          readiness: {
            mode: session.mode,
            guards: { ...session.guards },
            capability_changed: begun.capabilityChanged,
          },
        }
      : {}),
    ...(target.source === 'project' ? {} : { project_resolution: resolutionBlock(target) }),
    ...(facts.worktree === null ? {} : { worktree: worktreeBlock(facts.worktree, target) }),
    ...(jobs.status === 'unavailable' || jobs.activeCount > 0 ? { jobs: jobsBlock(jobs) } : {}),
    ...(facts.includeExtensionCatalog ? { extensions: NO_EXTENSIONS } : {}),
    ...(blockers.length === 0 ? {} : { blockers }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(nextActions === undefined ? {} : { suggested_next_actions: nextActions }),
  };
}

/** What the audit measures of a start: states and counts, no path and no digest (spec 05 §6). */
export function bootstrapTelemetry(facts: StartupFacts): TelemetryFacts {
  const { observation, instructionStatus } = facts;
  return {
    bootstrap: {
      instructions_available: observation.instructions === null ? null : observation.instructions.sources.length > 0,
      instructions_content_included: false,
      instruction_source_count: observation.instructions === null ? null : observation.instructions.sources.length,
      instruction_observation_status: instructionStatus,
      workspace_status: workspaceStatus(observedGit(observation)),
      semantic_supported: false,
      semantic_available: null,
      semantic_status: 'not_observed',
    },
  };
}

function workspaceBlock(observation: ProjectObservation): JsonObject {
  const git = observedGit(observation);
  const { workspace } = observation;
  return {
    status: workspaceStatus(git),
    git: gitView(git),
    ...('unavailable' in workspace ? { reason_code: workspace.unavailable } : {}),
  };
}

function observedGit({ workspace }: ProjectObservation) {
  return 'observed' in workspace ? workspace.observed : null;
}

function resolutionBlock({ source, newlyRegistered, project, permission }: ProjectForWork): JsonObject {
  return {
    source,
    newly_registered: newlyRegistered,
    path: project.path,
    ...(permission === null ? {} : { permission: { ...permission } }),
  };
}

/** What the worktree comes from; of a new one also what its source did not give it. */
function worktreeBlock({ lineage, derived }: WorktreeForWork, { permission }: ProjectForWork): JsonObject {
  return {
    ...(derived === null ? {} : { outcome: derived.outcome }),
    path: lineage.worktree,
    operation_id: lineage.operationId,
    source_project: lineage.sourceProjectId,
    base_ref: lineage.baseRef,
    base_commit: lineage.baseCommit,
    ...(derived === null ? {} : { source: { ...derived.source }, include: { ...derived.include } }),
    ...(derived === null || permission === null ? {} : { permission: { ...permission } }),
  };
}

function blockersOf(observation: ProjectObservation): readonly string[] {
  return observedGit(observation)?.conflicted === true ? ['workspace_conflicts'] : [];
}

function warningsOf({ observation, instructionStatus, worktree }: StartupFacts): readonly string[] {
  const { workspace, instructions, jobs } = observation;
  const git = observedGit(observation);
  return [
    ...('unavailable' in workspace ? ['workspace_observation_failed'] : []),
    ...(worktree?.derived?.source.dirty === true ? ['source_changes_not_in_worktree'] : []),
    ...(git === null || git.operation === null ? [] : [`git_operation_in_progress:${git.operation}`]),
    ...(instructionStatus === 'unavailable' ? ['instructions_unavailable'] : []),
    ...(instructions !== null && instructions.unreadable > 0 && instructions.sources.length > 0
      ? ['instructions_incomplete']
      : []),
    ...(jobs.ofProject.status === 'unavailable' ? ['jobs_observation_failed'] : []),
  ];
}
