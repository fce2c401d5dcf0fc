import { z } from 'zod';
import type { PruneReport, WorktreeReport, WorktreeView } from '../../protocol/worktrees.js';
import type { Principal } from '../kernel/principal.js';
import { operatorError, type OperatorAnswer, type OperatorRoute } from '../operator-route.js';
import type { ManagedWorktree, ProjectsDomain } from '../projects/index.js';
import type { SessionsDomain } from '../sessions/index.js';
import { sessionsOn, shown, worktreeView } from './worktree-view.js';

export interface WorktreeRoutesDeps {
  readonly worktrees: ProjectsDomain['worktreeUpkeep'];
  readonly sessions: Pick<SessionsDomain, 'countsOf'>;
}

/** How long all of a list or a prune may take, in milliseconds. */
const ANSWER_MS = 30 * 60_000;

const listRequest = z.strictObject({});
const pruneRequest = z.strictObject({ dry_run: z.boolean().default(false) });

/**
 * Managed worktrees for the owner of the daemon: every one with what is in it and why it
 * stays, and the removal of those that nothing needs (docs/worktrees.md). There is no tool
 * for it: what a model made for a task, a person clears away.
 */
export function createWorktreeRoutes(deps: WorktreeRoutesDeps): readonly OperatorRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/worktrees/list',
      handle: async (body, principal) => {
        const refused = refuseOthers(principal) ?? refuseBody(listRequest, body);
        if (refused !== null) return refused;
        const worktrees: WorktreeView[] = [];
        const signal = AbortSignal.timeout(ANSWER_MS);
        for (const one of deps.worktrees.all()) worktrees.push(await look(deps, one, signal));
        return { status: 200, body: { worktrees } satisfies WorktreeReport };
      },
    },
    {
      method: 'POST',
      path: '/api/worktrees/prune',
      handle: async (body, principal) => {
        const refused = refuseOthers(principal) ?? refuseBody(pruneRequest, body);
        if (refused !== null) return refused;
        const { dry_run: dryRun } = pruneRequest.parse(body ?? {});
        return { status: 200, body: { ...(await prune(deps, dryRun, AbortSignal.timeout(ANSWER_MS))) } };
      },
    },
  ];
}

async function look(deps: WorktreeRoutesDeps, one: ManagedWorktree, signal: AbortSignal): Promise<WorktreeView> {
  const state = await deps.worktrees.inspect(one, signal);
  return worktreeView(one, shown(state), sessionsOn(deps.sessions, one));
}

/** One after the other and the newest first, so that a worktree goes before the one that it was made from. */
async function prune(deps: WorktreeRoutesDeps, dryRun: boolean, signal: AbortSignal): Promise<PruneReport> {
  const removed: WorktreeView[] = [];
  const kept: WorktreeView[] = [];
  for (const one of deps.worktrees.all()) {
    const seen = await look(deps, one, signal);
    if (seen.kept_by.length > 0) kept.push(seen);
    else if (dryRun) removed.push(seen);
    else {
      const isFree = (): boolean => sessionsOn(deps.sessions, one)?.active === 0;
      const after = shown(await deps.worktrees.remove(one, isFree, signal));
      const view = worktreeView(one, { ...after, look: after.look ?? seen.look }, sessionsOn(deps.sessions, one));
      (view.kept_by.length === 0 ? removed : kept).push(view);
    }
  }
  return { dry_run: dryRun, removed, kept };
}

function refuseOthers(principal: Principal): OperatorAnswer | null {
  if (principal.credential === 'local_owner' && principal.scopes.has('account:manage')) return null;
  return operatorError(
    403,
    'operator_only',
    'only the owner of this daemon may list or remove its worktrees',
    'use wc worktree in a terminal, without a token of its own',
  );
}

function refuseBody(schema: z.ZodType, body: unknown): OperatorAnswer | null {
  if (schema.safeParse(body ?? {}).success) return null;
  return operatorError(400, 'invalid_arguments', 'the body takes dry_run, a boolean, when it prunes, and nothing when it lists', 'send {}');
}
