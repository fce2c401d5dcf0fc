/** Where a call's project comes from (spec 01 §9): exactly one of three. */
export type WorkSource =
  | { readonly from: 'project'; readonly selector: string }
  | { readonly from: 'path'; readonly clientId: string; readonly path: string }
  /** The named Session's own project, for a resume by id alone. */
  | { readonly from: 'session' };

/** The inputs that say where the work is. */
export interface WorkSelection {
  readonly project?: string | undefined;
  readonly client_id?: string | undefined;
  readonly path?: string | undefined;
  readonly session_id?: string | undefined;
  readonly mode?: 'checkout' | 'worktree' | undefined;
  readonly base_ref?: string | undefined;
}

const MAX_BASE_REF_BYTES = 1024;

/** The source that some inputs name, or what is wrong with them, for a person. */
export function workSource(selection: WorkSelection): WorkSource | { readonly problem: string } {
  const { project, client_id: clientId, path, session_id: sessionId, mode, base_ref: baseRef } = selection;
  if (sessionId !== undefined && sessionId.trim() === '') return { problem: 'session_id is blank' };
  if (baseRef !== undefined) {
    if (mode !== 'worktree') return { problem: 'base_ref belongs to mode worktree' };
    if (baseRef.includes('\0') || Buffer.byteLength(baseRef) > MAX_BASE_REF_BYTES) {
      return { problem: `base_ref has 1 to ${MAX_BASE_REF_BYTES} bytes and no NUL` };
    }
  }
  if ((clientId === undefined) !== (path === undefined)) return { problem: 'client_id and path go together' };
  if (clientId !== undefined && path !== undefined) {
    if (project !== undefined) return { problem: 'give either project, or client_id with path' };
    return { from: 'path', clientId, path };
  }
  if (project !== undefined) return { from: 'project', selector: project };
  if (sessionId === undefined) return { problem: 'name the project: project, or client_id with path' };
  if (mode === 'worktree') return { problem: 'mode worktree needs a project to start from' };
  return { from: 'session' };
}
