/** What a credential may ask for (spec 04 §4). `admin` alone implies others. */
export const SCOPES = [
  'runtime:read',
  'project:read',
  'project:write',
  'job:run',
  'session:collaborate',
  'memory:read',
  'memory:manage',
  'communication:read',
  'communication:manage',
  'plugin:inspect',
  'plugin:invoke',
  'plugin:manage',
  'runner:manage',
  'job:detach',
  'ssh:local',
  'mcp:local',
  'coding_agent:run',
  'account:manage',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];

const KNOWN: ReadonlySet<string> = new Set(SCOPES);

/** Whether `text` names a scope that can be granted. */
export function isScope(text: string): text is Scope {
  return KNOWN.has(text);
}

/** What the owner of the socket holds on the CLI and plain HTTP: everything but `admin`. */
export const LOCAL_OWNER_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'admin');

/**
 * What the same owner holds through the MCP shim: the scopes of work on a project,
 * and none that changes modes, roots, resources, tokens or limits (spec 00, decision 44).
 */
export const MCP_SHIM_SCOPES: readonly Scope[] = [
  'runtime:read',
  'project:read',
  'project:write',
  'job:run',
  'session:collaborate',
  'memory:read',
  'memory:manage',
  'communication:read',
  'communication:manage',
  'plugin:inspect',
  'plugin:invoke',
];

/** How a tool's scopes are asked for: all of them, or any one of them. */
export type ScopeRequirement =
  | { readonly kind: 'all'; readonly scopes: readonly Scope[] }
  | { readonly kind: 'any'; readonly scopes: readonly Scope[] };

/** The first scope that is missing, or null when `held` satisfies `required`. */
export function missingScope(required: ScopeRequirement, held: ReadonlySet<Scope>): Scope | null {
  if (held.has('admin')) return null;
  if (required.kind === 'all') return required.scopes.find((scope) => !held.has(scope)) ?? null;
  if (required.scopes.length === 0 || required.scopes.some((scope) => held.has(scope))) return null;
  return required.scopes[0] ?? null;
}
