import { operatorError, type OperatorAnswer } from '../operator-route.js';
import type { Principal } from '../kernel/principal.js';

/** The ledger as a whole is its owner's: no token and no MCP client exports, imports or verifies it. */
export function refuseOthers(principal: Principal): OperatorAnswer | null {
  if (principal.credential === 'local_owner' && principal.scopes.has('account:manage')) return null;
  return operatorError(
    403,
    'operator_only',
    'only the owner of this daemon may use its ledger as a whole',
    'use wc ledger in a terminal, without a token of its own',
  );
}
