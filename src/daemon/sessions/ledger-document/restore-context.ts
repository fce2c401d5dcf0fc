import type { SessionExecutionContext } from '../../kernel/ports.js';
import { normalizeExecutionContext, type GivenExecutionContext } from '../execution-context.js';
import type { RestoreNote } from './restore-notes.js';

/**
 * The execution defaults of a row (spec 01 §4, §8). A bad member is left out, and the
 * others stay: `resource` is judged first, then `default_cwd` under what survived of it,
 * since that decides what a folder means. Without a project there are none.
 */
export function restoreExecutionContext(
  raw: Readonly<Record<'default_cwd' | 'default_shell' | 'resource', unknown>>,
  hasProject: boolean,
): { readonly context: SessionExecutionContext; readonly notes: readonly RestoreNote[] } {
  const given = Object.values(raw).some((value) => value !== undefined);
  if (!hasProject) {
    const notes = given ? [{ reason: 'execution_context_without_project', at: 'execution_context' } as const] : [];
    return { context: {}, notes };
  }
  const notes: RestoreNote[] = [];
  const judge = (member: keyof GivenExecutionContext, under: SessionExecutionContext): SessionExecutionContext => {
    const value = raw[member];
    if (value === undefined) return under;
    const judged = typeof value === 'string' ? normalizeExecutionContext({ ...under, [member]: value }, true) : null;
    if (judged !== null && 'context' in judged) return judged.context;
    notes.push({ reason: 'bad_execution_context', at: `execution_context.${member}` });
    return under;
  };
  const context = judge('default_shell', judge('default_cwd', judge('resource', {})));
  return { context, notes };
}
