export type {
  NewWork,
  RequestedCapability,
  ResumedWork,
  SessionCounts,
  SessionsDomain,
  SessionSnapshot,
  WorkBegun,
} from './door.js';
export type { EventKind, SessionEvent } from './event-row.js';
export { DEFAULT_SESSION_LIMITS, type SessionLimits } from './limits.js';
