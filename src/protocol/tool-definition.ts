import type { z } from 'zod';
import type { ScopeRequirement } from './scopes.js';

export const TOOL_CATEGORIES = [
  'runtime',
  'project',
  'workflow',
  'session',
  'file',
  'edit',
  'patch',
  'git',
  'checkpoint',
  'cleanup',
  'lsp',
  'execution',
  'job',
  'validation',
  'memory',
  'skill',
  'plugin',
  'goal',
  'communication',
  'agent_task',
  'agent_wait',
  'coding_agent',
] as const;
/** The only taxonomy of tools (spec 04 §2). */
export type ToolCategory = (typeof TOOL_CATEGORIES)[number];

export type ToolRisk =
  | 'read_only'
  | 'project_write'
  | 'skill_manage'
  | 'memory_manage'
  | 'communication_manage'
  | 'session_collaborate'
  | 'workflow_manage'
  | 'checkpoint_manage'
  | 'run_control'
  | 'job_run';

export type ToolIdempotency =
  | 'pure_read'
  | 'desired_state'
  | 'keyed'
  | 'fenced_replay'
  | 'non_idempotent';

/**
 * How a tool takes a Workflow Session (spec 04 §1):
 * - `none`: it has no `session_id`;
 * - `records`: an optional `session_id` that lends guards and records the call in it;
 * - `target`: a required `session_id` that the tool is about (`SID`), admitted by the kernel;
 * - `own`: the tool admits its `session_id` itself (`work_on_project`); the kernel only
 *   turns a `~sN` into the canonical id.
 */
export type SessionUse = 'none' | 'records' | 'target' | 'own';

/**
 * How a tool takes a project:
 * - `none`: it has no `project`;
 * - `required`: `project` must be given and is resolved by the kernel;
 * - `session_default`: `project` may be left out, the target Session's is taken then;
 * - `own`: the tool resolves its project source itself (`work_on_project`).
 */
export type ProjectUse = 'none' | 'required' | 'session_default' | 'own';

/**
 * What the audit's telemetry record measures of a tool beyond the base fields (spec 05 §6):
 * - `work_on_project`: the shape of the request, and what the bootstrap found;
 * - `finish`: whether only the summary was asked for;
 * - `instruction_read`: whether instruction files were among the paths read;
 * - `readiness`: how a wait for Jobs went;
 * - `job_terminal_wait`: that a wait for a Job's end was asked for;
 * - `edit`, `edit_diff`: the canonical edit surface, and a unified diff on it;
 * - `edit_advanced`: the edit surface of specialists.
 */
export type TelemetryClass =
  | 'work_on_project'
  | 'finish'
  | 'instruction_read'
  | 'readiness'
  | 'job_terminal_wait'
  | 'edit'
  | 'edit_diff'
  | 'edit_advanced';

/**
 * What is known of a tool without running it. Guards, permission, evidence, audit,
 * MCP annotations, CLI commands and pages are all derived from this record; nothing
 * anywhere switches on a tool's name.
 */
export interface ToolFacts {
  /** `verb_object`, snake case, at most 50 characters. */
  readonly name: string;
  readonly title: string;
  /** One line, for lists. */
  readonly summary: string;
  /** Further lines for the manifest, the CLI help and the tool's page. */
  readonly description?: string;
  readonly category: ToolCategory;
  readonly visibility: 'model_visible' | 'model_hidden';
  /** A specialist is callable by its exact name and absent from lists (spec 04 §6). */
  readonly specialist?: boolean;
  readonly effect: 'observe' | 'mutate' | 'execute';
  readonly risk: ToolRisk;
  readonly approval: 'none' | 'standard' | 'inherit_from_start';
  readonly idempotency: ToolIdempotency;
  readonly scopes: ScopeRequirement;
  readonly session: SessionUse;
  readonly project: ProjectUse;
  /** `same`: a recorder must have the very project of the target Session; none and one are not the same. */
  readonly recorder_project?: 'same';
  readonly path_hint: 'none' | 'single_path' | 'path_list' | 'patch' | 'artifact';
  readonly destructive: boolean;
  readonly shell_like: boolean;
  /** The place in MCP's direct list; absent tools go through `call_runtime_tool`. */
  readonly direct_rank?: number;
  readonly captures_validation_output: boolean;
  readonly git_like: boolean;
  readonly change_summary_like: boolean;
  /** Whether a call is recorded in its business Session as a pair of its own. */
  readonly session_evidence: 'business_pair' | 'none';
  /** `none`: the call leaves no pair in a recorder either, whoever named one (spec 06 §12). */
  readonly recorder_evidence?: 'none';
  /** Whether a closed Session still admits the tool although it changes something. */
  readonly allowed_on_closed?: boolean;
  /** False for tools that only look for what there is: they say nothing of how a window works (spec 02 §D4). */
  readonly window_meaningful?: false;
  /** What the audit measures of the tool beyond the base fields. */
  readonly telemetry?: TelemetryClass;
  /** A gateway runs another tool; the kernel unwraps it. */
  readonly gateway?: boolean;
  /**
   * Inputs whose bounded, redacted values may stand in the evidence. Whatever is not
   * listed is never recorded: commands, scripts, patterns, bodies, environment.
   */
  readonly recorded_inputs: readonly string[];
  /** What the terminal needs beyond the input schema. */
  readonly cli?: ToolCliFacts;
}

export interface ToolCliFacts {
  /** Inputs filled from plain words, in this order. */
  readonly positionals?: readonly string[];
  /** The tool runs a program: everything after `--` becomes these inputs, or its arguments alone. */
  readonly program?: { readonly executable?: string; readonly args: string };
}

/** A definition: the facts plus the shapes of input and output. */
export interface ToolDefinition<Input extends z.ZodObject = z.ZodObject> extends ToolFacts {
  /** A strict object; top-level rules that JSON Schema roots cannot say stand in `description`. */
  readonly input: Input;
  /** What the output holds on success; failures add the fields of ToolResult. */
  readonly output: z.ZodType;
}

/** What mode guards go by (spec 04 §2). */
export function isWriteLike(facts: ToolFacts): boolean {
  return (
    facts.risk === 'project_write' ||
    facts.risk === 'skill_manage' ||
    facts.risk === 'memory_manage' ||
    facts.risk === 'communication_manage'
  );
}

/** What mode guards go by: raw commands, and whatever starts a program. */
export function isShellLike(facts: ToolFacts): boolean {
  return facts.shell_like || facts.risk === 'job_run';
}

export type PermissionRisk =
  | 'validation'
  | 'job'
  | 'shell'
  | 'destructive'
  | 'artifact_write'
  | 'patch'
  | 'write';

/** The label of a permission decision: first match wins (spec 04 §2). */
export function permissionRisk(facts: ToolFacts): PermissionRisk {
  if (facts.captures_validation_output) return 'validation';
  if (facts.category === 'job') return 'job';
  if (isShellLike(facts)) return 'shell';
  if (facts.destructive) return 'destructive';
  if (facts.path_hint === 'artifact') return 'artifact_write';
  if (facts.path_hint === 'patch') return 'patch';
  return 'write';
}

/** MCP's hints, all four said, since silence means "destructive, open world". */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export function toolAnnotations(facts: ToolFacts): ToolAnnotations {
  return {
    readOnlyHint: facts.effect === 'observe',
    destructiveHint: facts.destructive,
    idempotentHint: facts.idempotency !== 'non_idempotent',
    openWorldHint: facts.shell_like,
  };
}
