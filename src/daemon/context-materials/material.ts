import type { Scope } from '../../protocol/scopes.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import type { ResolvedProject } from '../kernel/call-context.js';
import type { MaterialCall } from '../kernel/collaboration-ports.js';
import type { ContextMaterial } from '../../protocol/envelope.js';

/** Why a material is not there (spec 02 §E5). */
export type MaterialReason =
  | 'context_material_surface_unavailable'
  | 'project_target_unavailable'
  | 'context_material_scope_unavailable'
  | 'plugin_inspect_scope_unavailable'
  | 'project_instructions_observation_incomplete'
  | 'context_projection_budget_exceeded'
  | 'client_window_unavailable'
  | 'window_activity_unavailable'
  | 'principal_unavailable'
  | 'jobs_observation_incomplete';

/** What a provider found, or why it found nothing. */
export type Material = { readonly projection: JsonObject } | { readonly reason: MaterialReason };

/** A call that has passed the gates of a material; a project is there where the material needs one. */
export interface AdmittedCall extends MaterialCall {
  readonly project: ResolvedProject | null;
}

/** One material: what it needs, and where it comes from. */
export interface MaterialSource {
  readonly key: ContextMaterial;
  readonly needsProject: boolean;
  readonly scopes: readonly Scope[];
  /** The reason for a scope whose lack has one of its own. */
  readonly scopeReasons?: Readonly<Partial<Record<Scope, MaterialReason>>>;
  /** Null while no domain has it. */
  readonly provide: ((call: AdmittedCall) => Promise<Material>) | null;
  /** Makes a projection smaller that does not fit, or says null that it cannot be. */
  readonly shorten?: (projection: JsonObject, bytes: number) => JsonObject | null;
}
