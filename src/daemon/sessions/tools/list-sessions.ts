import { z } from 'zod';
import { success, type ToolResult } from '../../../protocol/tool-result.js';
import { projectOf, type CallContext } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, type Tool } from '../../kernel/tool.js';
import type { Ledger } from '../ledger.js';
import { LIST_ROWS_DEFAULT, LIST_ROWS_MAX } from '../limits.js';
import type { Selectors } from '../selectors.js';
import { listedSession, sessionPage } from '../session-list.js';

const input = z.strictObject({
  project: projectSelector,
  lifecycle: z.enum(['active', 'closed']).optional(),
  offset: z.int().min(0).default(0),
  limit: clamped(1, LIST_ROWS_MAX, LIST_ROWS_DEFAULT),
});

export interface ListParts {
  readonly ledger: Ledger;
  readonly selectors: Selectors;
}

/** `list_sessions`: the caller's own retained Sessions of one project. It selects, resumes and warms none. */
export function listSessions(parts: ListParts): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'list_sessions',
      title: 'List Sessions',
      summary: 'Your retained Sessions of a project, latest first; choose one of them explicitly.',
      category: 'session',
      scopes: { kind: 'all', scopes: ['runtime:read', 'project:read'] },
      session: 'none',
      project: 'required',
      session_evidence: 'none',
      window_meaningful: false,
      recorded_inputs: ['project', 'lifecycle', 'offset', 'limit'],
      input,
      output: z.looseObject({
        total: z.int(),
        offset: z.int(),
        next_offset: z.int().nullable(),
        sessions: z.array(
          z.looseObject({
            session_id: z.string(),
            session_ref: z.string().nullable(),
            title: z.string().nullable(),
            title_truncated: z.boolean(),
            lifecycle: z.enum(['active', 'closed']),
            created_at: z.int(),
            updated_at: z.int(),
          }),
        ),
      }),
    },
    (given, call) => ({ result: list(parts, given, call) }),
  );
}

function list({ ledger, selectors }: ListParts, given: z.output<typeof input>, call: CallContext): ToolResult {
  const { offset, limit, lifecycle } = given;
  const { fingerprint } = call.principal;
  // Nobody's Sessions: without a stable identity there are none to own.
  if (fingerprint === null) return success(sessionPage([], 0, offset, 0));
  const filter = { project: projectOf(call).id, owner: fingerprint, lifecycle: lifecycle ?? null };
  const { total, heads, read } = ledger.page(filter, offset, limit);
  const refs = selectors.refsFor(heads, call.principal);
  const rows = heads.map((head, index) => listedSession(head, refs[index] ?? null));
  return success(sessionPage(rows, total, offset, read));
}
