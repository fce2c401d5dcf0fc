import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { OperatorRoute, StreamRoute } from '../operator-route.js';
import type { SessionLimits, SessionsDomain } from '../sessions/index.js';
import { exportRoute } from './export-route.js';
import { importRoute } from './import-route.js';
import { removeLeftUploads } from './spool-upload.js';
import { anchorRoute, statsRoute, verifyRoute } from './verify-routes.js';

export interface LedgerRoutesDeps {
  readonly sessions: SessionsDomain;
  readonly limits: SessionLimits;
  /** Where `ledger.db` is; what belongs to it is kept beside it. */
  readonly ledgerPath: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

/** The ledger as a whole, for its owner: export, import, verify, anchor, stats. */
export function createLedgerRoutes(deps: LedgerRoutesDeps): readonly (OperatorRoute | StreamRoute)[] {
  const { sessions, limits, ledgerPath, now } = deps;
  const folder = dirname(ledgerPath);
  removeLeftUploads(folder).catch(deps.onFault);
  return [
    exportRoute(sessions),
    importRoute({ sessions, limits, folder, now, newName: randomUUID }),
    verifyRoute(sessions),
    anchorRoute(sessions),
    statsRoute(sessions, limits, ledgerPath),
  ];
}
