import type { Progress } from '../../protocol/api.js';
import type {
  CallId,
  InvocationId,
  ProjectId,
  RootFingerprint,
  SessionId,
  WindowKey,
} from '../../protocol/ids.js';
import type { Principal } from './principal.js';
import type { SessionView } from './ports.js';

/** The surface that a call came in on. */
export type Adapter = 'cli' | 'http' | 'mcp_legacy' | 'mcp_2026';

/** A registered project after resolution. */
export interface ResolvedProject {
  readonly id: ProjectId;
  readonly name: string;
  readonly clientId: string;
  /** The registered folder, absolute and resolved. */
  readonly path: string;
  readonly rootFingerprint: RootFingerprint;
  readonly allowPatch: boolean;
  /** Changes with every change of the registration. */
  readonly revision: number;
}

/** All that a handler may know of the call around it. */
export interface CallContext {
  readonly callId: CallId;
  readonly invocationId: InvocationId;
  readonly adapter: Adapter;
  readonly principal: Principal;
  readonly window: WindowKey | null;
  /** The admitted business Session, when the call names one. */
  readonly session: SessionView | null;
  /** The authorized recorder: provenance only, never a target. */
  readonly recorder: SessionId | null;
  readonly recorderProject: ProjectId | null;
  /** The resolved project, for tools whose `project` use is `required` or `session_default`. */
  readonly project: ResolvedProject | null;
  /** Aborted by an explicit cancel only; a lost connection is `disconnected`. */
  readonly signal: AbortSignal;
  /** Aborted when the caller vanished without a cancel (decision 25). */
  readonly disconnected: AbortSignal;
  /** The caller's environment, for one execution on the plain socket; never stored or logged. */
  readonly environment: Readonly<Record<string, string>> | null;
  /** A FIFO of the caller's that is this execution's standard input; on the plain socket only. */
  readonly stdinPipe: string | null;
  /** Whether anyone listens for progress; streaming costs nothing when nobody does. */
  readonly wantsProgress: boolean;
  /** Tells the caller; settles when it can take more, which a sender of floods waits for. Never rejects. */
  readonly progress: (event: Progress) => void | Promise<void>;
  /** The bound on this call's answer in milliseconds, or null (MCP: 45,000). */
  readonly answerWithinMs: number | null;
}

/** The project of a call whose definition requires one; the kernel has resolved it by step 10. */
export function projectOf(call: CallContext): ResolvedProject {
  if (call.project === null) throw new Error('the kernel admits no such tool without a project');
  return call.project;
}

/** The Session of a call whose definition targets one; the kernel has admitted it by step 10. */
export function sessionOf(call: CallContext): SessionView {
  if (call.session === null) throw new Error('the kernel admits no such tool without a Session');
  return call.session;
}
