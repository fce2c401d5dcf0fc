import type { EventId, ProjectId, SessionId } from '../../protocol/ids.js';
import type { Failure } from '../../protocol/tool-result.js';
import type { Domain } from '../domain.js';
import type { Adapter } from '../kernel/call-context.js';
import type { SessionExecutionContext, SessionGuards, SessionPort, SessionView } from '../kernel/ports.js';
import type { Principal } from '../kernel/principal.js';
import type { SessionEvent } from './event-row.js';
import type { SessionMessage } from './message-row.js';
import type { ImportProvenance, ImportRefusal, LedgerExport, LedgerImport, LedgerSession, LedgerStats } from './ledger-rows.js';
import type { SessionBoards } from './session-boards.js';
import type { LedgerAnchor, LedgerVerification, VerifyOptions } from './ledger-verification.js';
import type { TerminalValidationOutcome, TerminalValidations } from './terminal-validations.js';

/** What a Session asks for, before its mode has been weighed in. */
export interface RequestedCapability {
  readonly mode?: 'normal' | 'read_only';
  readonly guards?: Partial<SessionGuards>;
}

/** A new Session together with its first instruction. */
export interface NewWork extends RequestedCapability {
  readonly project: ProjectId;
  /** Redacted and bounded before it is stored; never overwritten afterwards. */
  readonly title: string;
  readonly owner: Principal;
  readonly executionContext?: SessionExecutionContext;
  readonly instruction: string;
  readonly transport: Adapter;
  /** The tree that the work starts from, 40 or 64 hex. */
  readonly gitBaselineTree?: string;
}

/** An existing Session together with its next instruction. */
export interface ResumedWork extends RequestedCapability {
  readonly sessionId: SessionId;
  readonly instruction: string;
  readonly transport: Adapter;
  /** Whether the caller holds `project:write`, which going from `read_only` to `normal` needs. */
  readonly mayUpgrade: boolean;
  /** Whether the project's instructions were observed anew for this call. */
  readonly contextRefreshed?: boolean;
}

/** Work that is durably begun: the Session and its `task_instruction` stand in one commit. */
export interface WorkBegun {
  readonly session: SessionView;
  readonly instructionEvent: EventId;
  /** Whether the Session's mode or guards are other than before. */
  readonly capabilityChanged: boolean;
}

/** The events of a Session as they are committed, for projections. It never changes after it was taken. */
export interface SessionSnapshot {
  readonly session: SessionView;
  /** The whole retained tail in ledger order, raw: collapse with `canonicalFinishedEvents` before slicing. */
  readonly events: readonly SessionEvent[];
  /** How many events the Session ever had. */
  readonly eventsObserved: number;
  /** The absolute, zero-based sequence of `events[0]`; as many events were evicted. */
  readonly firstRetainedSequence: number;
  /** Sticky: some recorded call changed project files. */
  readonly repositoryEditObserved: boolean;
  readonly gitBaselineTree: string | null;
}

/** The message board of a Session as it is committed. It never changes after it was taken. */
export interface BoardSnapshot {
  /** The retained messages, oldest first. */
  readonly messages: readonly SessionMessage[];
}

/** The two counters that every change of a Session moves: its ledger's, and its board's. */
export interface SessionFence {
  readonly eventsObserved: number;
  /** Null when the board cannot be read. */
  readonly messageObservationRevision: number | null;
}

export interface SessionCounts {
  readonly retained: number;
  readonly active: number;
  readonly closed: number;
  readonly hot: number;
  readonly cold: number;
  readonly tombstones: number;
}

/** Workflow Sessions: the port of the kernel, and what the domain of `work_on_project` needs. */
export interface SessionsDomain extends Domain, SessionPort {
  /**
   * Creates a Session and appends its instruction, in one commit. Refused with
   * `invalid_coding_instruction`, `session_authority_identity_unavailable`,
   * `invalid_execution_context`, `session_id_allocation_exhausted`, or
   * `coding_continuity_commit_failed`, after which nothing of it exists.
   */
  createWork(work: NewWork): Promise<WorkBegun | { readonly failure: Failure }>;
  /**
   * Appends an instruction to an Active Session, weighing its capability anew, in one
   * commit. Authority and project are the caller's to check. Refused with
   * `invalid_coding_instruction`, `unknown_session_id`, `session_closed`,
   * `session_capability_upgrade_denied` or `coding_continuity_commit_failed`, after
   * which the Session is as it was.
   */
  resumeWork(work: ResumedWork): Promise<WorkBegun | { readonly failure: Failure }>;
  /** The message boards, for the domain whose rules they follow. */
  readonly boards: SessionBoards;
  /** The retained tail of a Session, or null when it is not retained. Moves access recency, writes nothing. */
  snapshot(sessionId: SessionId): SessionSnapshot | null;
  /**
   * The retained messages of a Session, or null when it is not retained. Marks nothing.
   *
   * @throws UnreadableRowError
   */
  board(sessionId: SessionId): BoardSnapshot | null;
  /**
   * What a Session's counters are now, or null when it is not retained: two equal fences
   * have nothing between them (spec 06 §10). Moves nothing.
   */
  fence(sessionId: SessionId): SessionFence | null;
  counts(): SessionCounts;
  /** The retained Sessions of one project, whoever owns them; null while an import hides the ledger. */
  countsOf(project: ProjectId): { readonly active: number; readonly closed: number } | null;
  /**
   * Appends what the terminal validation Jobs of one Session say, each once (spec 06 §6),
   * in one commit; a Closed Session takes them without reopening. The caller holds its
   * lock from before it took the snapshot until this settles. Rejects with
   * CommitFailedError, after which nothing of it was written.
   */
  recordTerminalValidations(
    sessionId: SessionId,
    project: ProjectId | null,
    validations: TerminalValidations,
  ): Promise<TerminalValidationOutcome>;
  /** Takes the ledger as it is at one moment. */
  exportLedger(): Promise<LedgerExport>;
  /** One Session as a row of the document, or null when it is not retained or cannot be read. Moves nothing. */
  exportSession(sessionId: SessionId): LedgerSession | null;
  /** Begins an import into an empty ledger. */
  beginImport(provenance: ImportProvenance): Promise<LedgerImport | ImportRefusal>;
  /**
   * A document was rejected as a whole: the status says `restore_failed: …` as its last
   * persist error, until an import succeeds.
   */
  noteRestoreFailed(message: string): void;
  /** Checks every row and every chain, in short steps beside all other work; changes nothing. */
  verifyLedger(options?: VerifyOptions): Promise<LedgerVerification>;
  /** Stores what every Session's history is now, and gives the line that proves it later. */
  anchorLedger(): Promise<LedgerAnchor>;
  ledgerStats(): LedgerStats;
}
