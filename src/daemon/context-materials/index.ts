import type { ContextPort } from '../kernel/collaboration-ports.js';
import type { RunnerPort } from '../runner-link/port.js';
import { jobsAttention } from './jobs-attention.js';
import type { Material, MaterialSource } from './material.js';
import { projectContext } from './project-context.js';
import { projectInstructions, shortenInstructions } from './project-instructions.js';
import { resumeCandidates, type ResumeParts } from './resume-candidates.js';
import { workflowGuidance } from './workflow-guidance.js';

export type { ResumeParts } from './resume-candidates.js';

export interface ContextDeps extends ResumeParts {
  readonly runner: RunnerPort;
}

const WORKFLOW = 'webcodex.workflow';

/** The materials that `_wc.context` can ask for (spec 02 §E5): public ones, and those of a project. */
export function createContextMaterials(deps: ContextDeps): ContextPort {
  const sources = materialSources(deps);
  return { project: (keys, call) => projectContext(sources, WORKFLOW, keys, call) };
}

/** A material without a provider comes alive with the domain that has it. */
function materialSources(deps: ContextDeps): readonly MaterialSource[] {
  const { runner } = deps;
  return [
    { key: WORKFLOW, needsProject: false, scopes: [], provide: async () => ({ projection: workflowGuidance() }) },
    { key: 'workflow.resume', needsProject: false, scopes: [], provide: (call) => resumeCandidates(deps, call) },
    {
      key: 'project.instructions',
      needsProject: true,
      scopes: ['project:read'],
      provide: async ({ project }) => (project === null ? WITHOUT_PROJECT : projectInstructions(runner, project)),
      shorten: shortenInstructions,
    },
    {
      key: 'jobs.attention',
      needsProject: true,
      scopes: ['runtime:read'],
      provide: async ({ project }) => (project === null ? WITHOUT_PROJECT : jobsAttention(runner, project)),
    },
    { key: 'skills.catalog', needsProject: true, scopes: ['project:read'], provide: null },
    {
      key: 'plugins.catalog',
      needsProject: true,
      scopes: ['project:read', 'plugin:inspect'],
      scopeReasons: { 'plugin:inspect': 'plugin_inspect_scope_unavailable' },
      provide: null,
    },
    { key: 'memory.bootstrap', needsProject: true, scopes: ['project:read', 'memory:read'], provide: null },
  ];
}

const WITHOUT_PROJECT: Material = { reason: 'project_target_unavailable' };
