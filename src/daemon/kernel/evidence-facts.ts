import type { ExecutionState, ResultExpectation } from '../../protocol/execution-state.js';
import type { JobId } from '../../protocol/ids.js';
import type { ValidationEvidence } from './validation-evidence.js';

/**
 * What a handler knows of its own effect, as structure. The evidence of a call is
 * closed from these facts and the definition alone, never from prose.
 */
export interface EvidenceFacts {
  /** Project-relative paths that the call changed. */
  readonly changedPaths?: readonly string[];
  /** Project-relative paths of successful, focused observation (spec 06 §7.3). */
  readonly observedPaths?: readonly string[];
  readonly exitCode?: number | null;
  readonly jobId?: JobId;
  readonly effect?: {
    readonly stateChanged?: boolean | null;
    readonly commandStarted?: boolean;
    readonly commandCompleted?: boolean;
    readonly executionState?: ExecutionState;
  };
  /** Why the program itself failed, when it did. */
  readonly failureKind?: string;
  readonly resultExpectation?: ResultExpectation;
  readonly acceptedExitCodes?: readonly number[];
  readonly assertionName?: string;
  readonly failureExpectationResult?: string;
  /** Bounded tails of a validation's output, redacted by the evidence builder. */
  readonly validationOutput?: {
    readonly purpose: string;
    readonly cwd: string;
    readonly stdoutTail: string;
    readonly stderrTail: string;
    readonly truncated: boolean;
    /** What a validator's output proved; its names are redacted already. */
    readonly evidence?: ValidationEvidence;
  };
  /** What was done with a persistent shell: names and states, nothing that went in or came out. */
  readonly persistentShell?: {
    readonly action: 'open' | 'execute' | 'status' | 'close';
    readonly shellId?: string;
    readonly shellState?: string;
    readonly executionState?: string;
    readonly errorCode?: string;
    readonly commandStarted?: boolean;
    readonly commandCompleted?: boolean;
    readonly alreadyClosed?: boolean;
  };
  /** Counts and names that describe the result without its content. */
  readonly contextResultSummary?: Readonly<Record<string, string | number | boolean | null>>;
  /** Audit: a Workflow Session that this call created or resumed (relation `work_on_project`). */
  readonly workedOnSession?: { readonly sessionId: string; readonly project: string | null };
  /** Audit: what the telemetry record is made of beyond the result, in the shape of `TelemetryFacts`. */
  readonly telemetry?: Readonly<Record<string, unknown>>;
}
