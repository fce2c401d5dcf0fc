import type {
  AuthorityFingerprint,
  EventId,
  InvocationId,
  PairId,
  ProjectId,
  SessionId,
  WindowKey,
} from '../../protocol/ids.js';
import type { ToolFacts } from '../../protocol/tool-definition.js';
import type { Failure, ToolResult } from '../../protocol/tool-result.js';
import type { Adapter, ResolvedProject } from './call-context.js';
import type { EvidenceFacts } from './evidence-facts.js';
import type { Principal } from './principal.js';

/*
 * What the kernel asks of the domains. A domain implements its port and is handed
 * to the kernel by the composition root; the kernel imports no domain.
 */

/** Mode guards of a Session. */
export interface SessionGuards {
  readonly deny_write_tools: boolean;
  readonly deny_shell_tools: boolean;
}

/** Execution defaults of a Session (spec 01 §8). */
export interface SessionExecutionContext {
  readonly default_cwd?: string;
  readonly default_shell?: 'sh' | 'bash';
  readonly resource?: string;
}

/** A snapshot of a retained Session's head; it never changes after it was taken. */
export interface SessionView {
  readonly sessionId: SessionId;
  readonly ownerFingerprint: AuthorityFingerprint;
  readonly project: ProjectId | null;
  readonly title: string | null;
  readonly mode: 'normal' | 'read_only';
  readonly guards: SessionGuards;
  readonly executionContext: SessionExecutionContext;
  readonly lifecycle: 'active' | 'closed';
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What an exact look-up finds. */
export type SessionLookup =
  | { readonly found: 'session'; readonly session: SessionView }
  /** A tombstone that the asking principal owns; everybody else gets `nothing`. */
  | { readonly found: 'expired'; readonly sessionId: SessionId }
  | { readonly found: 'nothing' };

/** How the raw selector of a call resolves (spec 01 §1). */
export type SelectorResolution =
  | { readonly resolved: SessionId }
  /** Not a `~s` attempt and not a canonical id: each tool answers this with its own kind. */
  | { readonly malformed: string }
  | { readonly failure: Failure };

/** What the kernel knows when a recorded call begins. */
export interface EvidenceStart {
  readonly facts: ToolFacts;
  readonly invocationId: InvocationId;
  readonly role: 'recorder' | 'business';
  readonly transport: Adapter;
  /** The inputs that may be recorded, by the definition's own list; bounded and redacted by the builder. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly requestProject: string | null;
}

/** What the kernel knows when it ends. */
export interface EvidenceEnd {
  readonly result: ToolResult;
  readonly outcome: EvidenceFacts;
  readonly resolvedProject: ProjectId | null;
  readonly permission: PermissionDecision | null;
}

/** A pair that was opened and waits for its end. */
export interface OpenPair {
  readonly sessionId: SessionId;
  readonly pairId: PairId;
}

/** A pair whose finished event is committed. */
export interface ClosedPair {
  readonly eventId: EventId;
  /** How many events the Session ever had with this one, and how many of them are retained. */
  readonly tail?: { readonly observed: number; readonly retained: number };
}

/** Workflow Sessions, as the kernel needs them. */
export interface SessionPort {
  /** Raw selector to canonical id, for this principal; the existence of a canonical id is not checked here. */
  resolveSelector(raw: string, principal: Principal): SelectorResolution;
  /** Exact read: moves access recency, writes nothing. */
  lookUp(sessionId: SessionId, principal: Principal): SessionLookup;
  /** The `~sN` of a retained Session that the principal owns, minted on first use. */
  refFor(sessionId: SessionId, principal: Principal): string | null;
  /** Appends the started event; durable no later than the finished one. */
  openPair(sessionId: SessionId, start: EvidenceStart): OpenPair;
  /** Appends the finished event; the promise settles after the commit that holds it. */
  closePair(pair: OpenPair, end: EvidenceEnd): Promise<ClosedPair>;
}

/** What a project selector resolves to. */
export type ProjectResolution = { readonly project: ResolvedProject } | { readonly failure: Failure };

/** Registered projects, as the kernel needs them. */
export interface ProjectPort {
  /** By id, by unique name, or by `~pN` of this principal. Touches no file system. */
  resolve(selector: string, principal: Principal): ProjectResolution;
  /** Whether the principal may see the project at all. */
  isVisible(project: ProjectId, principal: Principal): boolean;
}

/** A decision of the permission evaluator (spec 04 §5). Absent for tools that need none. */
export interface PermissionDecision {
  readonly required: true;
  readonly policy: 'trusted_agent' | 'restricted' | 'invalid';
  readonly request_id: string;
  readonly status: 'auto_approved' | 'approved' | 'denied' | 'pending';
  readonly reason: string;
  readonly risk: string;
  readonly tool_name: string;
  readonly project: string | null;
}

/** How a call ended, each way its own outcome (spec 00, decision 43). */
export type CallOutcome =
  | 'refused'
  | 'invalid'
  | 'denied'
  | 'tool_failed'
  | 'success'
  | 'cancelled'
  | 'timed_out';

/** Where a call's audit row should go, from the request's headers and query. */
export interface AuditAffinity {
  readonly header: string | null;
  readonly headerAlias: string | null;
  readonly query: string | null;
}

/** The `_wc` of a call as it came, before it was taken off: presence and counts only. */
export interface EnvelopeShape {
  readonly present: Readonly<Record<string, boolean>>;
  readonly ackCount: number;
  readonly contextKeys: readonly string[];
  readonly controlBefore: string | null;
  readonly controlAfterSuccess: string | null;
}

/** What the order of calls in one window says of a call (spec 02 §D4). */
export interface WindowTiming {
  readonly transition: 'unavailable' | 'serial' | 'overlap';
  /** Whether the call ended so cleanly that the next one may be measured against it. */
  readonly continuityEligible: boolean;
  readonly meaningful: boolean;
  /** The Session that a recorder could have named and did not. */
  readonly recorderGap: SessionId | null;
  /** The trace id of the meaningful call that provably came right before. */
  readonly previousMeaningfulCall: string | null;
}

/** One executed call, as the audit sees it. It holds no argument values and no output. */
export interface CallRecord {
  readonly toolName: string;
  /** Null for a name that no registered tool has. */
  readonly facts: ToolFacts | null;
  readonly principal: Principal;
  readonly adapter: Adapter;
  readonly window: WindowKey | null;
  readonly affinity: AuditAffinity;
  readonly endpoint: string;
  readonly outcome: CallOutcome;
  readonly result: ToolResult;
  /** The step that a refusal happened at, for telemetry that differs before and after a result exists. */
  readonly reachedHandler: boolean;
  readonly outcomeFacts: EvidenceFacts;
  /** Raw arguments: only for counts and labels of the telemetry record, never stored. */
  readonly rawArguments: Readonly<Record<string, unknown>>;
  readonly envelope: EnvelopeShape;
  readonly project: ProjectId | null;
  readonly recorder: SessionId | null;
  /** The admitted business Session; it enters the row as part of a salted digest only. */
  readonly session?: SessionId | null;
  readonly windowTiming?: WindowTiming;
  /** The id of the call in the daemon's own traces. */
  readonly traceId?: string;
  readonly permissionRequestId: string | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Monotonic. */
  readonly durationMs: number;
  readonly requestBytes: number | null;
  readonly httpStatus: number;
  /** Exact UTF-8 bytes of the result that was sent, null where no ToolResult was made by a tool. */
  readonly resultBytes: number | null;
  readonly responseStreaming: boolean;
  readonly handedAtMs: number;
}

/** The Action Audit, as the kernel needs it: it queues, and never changes or delays an answer. */
export interface AuditPort {
  record(call: CallRecord): void;
}
