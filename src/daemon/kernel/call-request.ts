import type { Progress } from '../../protocol/api.js';
import type { CallId, WindowKey } from '../../protocol/ids.js';
import type { Adapter } from './call-context.js';
import type { AuditAffinity } from './ports.js';
import type { Principal } from './principal.js';

/** A call as the transport hands it over, its caller already admitted (step 1). */
export interface CallRequest {
  readonly callId: CallId;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The `_wc` of the call as it came; undefined when there was none. */
  readonly envelope: unknown;
  /** The recorder form of older clients. */
  readonly recordingSessionId: string | null;
  readonly principal: Principal;
  readonly adapter: Adapter;
  readonly window: WindowKey | null;
  readonly affinity: AuditAffinity;
  readonly endpoint: string;
  readonly environment: Readonly<Record<string, string>> | null;
  readonly stdinPipe: string | null;
  readonly signal: AbortSignal;
  readonly disconnected: AbortSignal;
  readonly wantsProgress: boolean;
  readonly progress: (event: Progress) => void | Promise<void>;
  readonly answerWithinMs: number | null;
  readonly requestBytes: number | null;
}
