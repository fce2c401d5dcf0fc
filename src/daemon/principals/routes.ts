import type { z } from 'zod';
import { operatorError, type OperatorAnswer, type OperatorRoute } from '../operator-route.js';
import { issueMessage } from '../kernel/issue-message.js';
import type { Principal } from '../kernel/principal.js';
import { CommitFailedError } from '../storage/commit-queue.js';
import {
  createTokenRequest,
  describeProblem,
  listTokensRequest,
  revokeTokenRequest,
} from './token-request.js';
import type { Tokens } from './tokens.js';

/**
 * `POST /api/tokens/{create,list,revoke}`: for the owner of the socket on the CLI and
 * plain HTTP. A token can make no token, and neither can the MCP shim (decision 44).
 */
export function tokenRoutes(tokens: Tokens): readonly OperatorRoute[] {
  return [
    route('/api/tokens/create', createTokenRequest, async ({ name, scopes, expires_in_secs }) => {
      const outcome = await tokens.create(name, scopes, expires_in_secs ?? null);
      if ('refused' in outcome) return refusal(outcome.refused, name);
      const { token, view } = outcome.created;
      return { status: 200, body: { name, token, scopes: view.scopes, expires_at: view.expires_at } };
    }),
    route('/api/tokens/list', listTokensRequest, async () => ({
      status: 200,
      body: { tokens: tokens.list() },
    })),
    route('/api/tokens/revoke', revokeTokenRequest, async ({ name }) => {
      const revoked = await tokens.revoke(name);
      if (revoked === null) return refusal('unknown_token', name);
      return { status: 200, body: { name, revoked: true, revoked_at: revoked.revoked_at } };
    }),
  ];
}

function route<Request extends z.ZodType>(
  path: string,
  request: Request,
  answer: (body: z.output<Request>) => Promise<OperatorAnswer>,
): OperatorRoute {
  return {
    method: 'POST',
    path,
    handle: async (body, principal) => {
      if (!mayManageTokens(principal)) {
        return operatorError(
          403,
          'operator_only',
          'only the owner of this daemon may manage tokens',
          'use wc token in a terminal, without a token of its own',
        );
      }
      const parsed = request.safeParse(body ?? {}, { error: issueMessage });
      if (!parsed.success) {
        return operatorError(400, 'invalid_arguments', describeProblem(parsed.error), 'see wc token --help');
      }
      try {
        return await answer(parsed.data);
      } catch (error) {
        if (!(error instanceof CommitFailedError)) throw error;
        return operatorError(503, 'storage_unavailable', error.message, 'free some space and try again; wc doctor shows more');
      }
    },
  };
}

function mayManageTokens(principal: Principal): boolean {
  return principal.credential === 'local_owner' && principal.scopes.has('account:manage');
}

function refusal(kind: 'token_name_taken' | 'token_limit_reached' | 'unknown_token', name: string): OperatorAnswer {
  switch (kind) {
    case 'token_name_taken':
      return operatorError(409, kind, `a token named ${name} is in force`, `revoke it first: wc token revoke ${name}`);
    case 'token_limit_reached':
      return operatorError(409, kind, 'there are too many tokens in force', 'revoke some: wc token list shows them');
    case 'unknown_token':
      return operatorError(404, kind, `no token named ${name} is in force`, 'wc token list shows all');
  }
}
