import type { Progress } from '../protocol/api.js';
import type { ToolResult } from '../protocol/tool-result.js';

/** The era of the client: with a handshake (2025-11-25 and earlier), or stateless (2026-07-28). */
export type Era = 'legacy' | 'stateless';

/** One `tools/call` on its way to the kernel. */
export interface ForwardedCall {
  readonly era: Era;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The `_wc` of the call; only the stateless era has it. */
  readonly envelope: unknown;
  /** The recorder form of the older era. */
  readonly recordingSessionId: string | null;
  /** The host's window, raw; it is hashed by the daemon and kept nowhere. */
  readonly window: string | null;
  /** The bound on the answer: 45 s, or the full bound of waits where the client gets progress. */
  readonly answerWithinMs: number;
  /** Aborted when the client cancels, and when it is gone. */
  readonly signal: AbortSignal;
  /** Null when the client asked for no progress. */
  readonly onProgress: ((progress: Progress) => void) | null;
}

/** How calls reach the kernel: over the daemon's socket from the shim, directly in the daemon's own endpoint. */
export type Forward = (call: ForwardedCall) => Promise<ToolResult>;
