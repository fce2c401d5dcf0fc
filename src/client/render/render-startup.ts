import type { JsonObject } from '../../protocol/tool-result.js';
import { gitPosition } from './render-workspace.js';
import type { GitView } from './render-workspace.js';
import { shellQuote } from './shell-quote.js';
import type { Style } from './style.js';
import { factLines } from './text-table.js';

/** What people read of the start of a task. */
interface Startup {
  readonly session_id: string;
  readonly session_ref?: string;
  readonly project: string;
  readonly project_ref: string;
  readonly continuation: 'created' | 'resumed_explicitly';
  readonly workspace: { readonly status: string; readonly git: GitView | null; readonly reason_code?: string };
  readonly instructions: { readonly status: string; readonly sources: readonly { readonly path: string }[] };
  readonly readiness?: { readonly mode: string };
  readonly worktree?: { readonly path: string; readonly base_ref: string; readonly base_commit: string };
  readonly project_resolution?: { readonly newly_registered: boolean; readonly path: string };
  readonly blockers?: readonly string[];
  readonly warnings?: readonly string[];
  readonly suggested_next_actions?: readonly string[];
}

/** The start of a task: where it works, what it found, and what the next commands need. */
export function renderStartup(output: JsonObject, style: Style): string {
  const startup = output as unknown as Startup;
  const session = startup.session_ref ?? startup.session_id;
  const begun = startup.continuation === 'created' ? 'started' : 'resumed';
  const resolution = startup.project_resolution;
  const facts = factLines(
    [
      ['session', `${startup.session_id}${startup.session_ref === undefined ? '' : ` (${startup.session_ref})`}`],
      ['project', `${startup.project} (${startup.project_ref})${resolution?.newly_registered ? `, newly registered at ${resolution.path}` : ''}`],
      ['worktree', worktreeText(startup.worktree)],
      ['workspace', [startup.workspace.status, gitPosition(startup.workspace.git), startup.workspace.reason_code].filter(Boolean).join(', ')],
      ['instructions', [startup.instructions.status, ...startup.instructions.sources.map(({ path }) => path)].join(' ')],
      ['mode', startup.readiness?.mode],
      ['blocked by', startup.blockers?.join(', ')],
      ['warnings', startup.warnings?.join(', ')],
      ...(startup.suggested_next_actions ?? []).map((action) => ['next', action] as const),
    ],
    style,
  );
  const go = `export WC_SESSION=${shellQuote(session)} WC_PROJECT=${shellQuote(startup.project_ref)}`;
  return `${style.bold(`Task ${begun}.`)}\n${facts}\n\n${style.dim('for the next commands:')} ${go}`;
}

function worktreeText(worktree: Startup['worktree']): string | null {
  return worktree === undefined ? null : `${worktree.path}, from ${worktree.base_ref} ${worktree.base_commit.slice(0, 8)}`;
}
