import type { ExecutionReport } from '../../protocol/runner/execution.js';
import type { EndCause } from '../process/classify-end.js';

/** One started execution, wherever its processes are. */
export interface Execution {
  /** Always settles: in bounded time after it was asked to end, or with `outcome_unknown`. */
  readonly ended: Promise<ExecutionReport>;
  /** Settles when the next Runner would know of it. */
  readonly noted: Promise<void>;
  /** The pids of its tree that are alive on this machine. */
  members(): Promise<readonly number[]>;
  /** Ends it, for the first cause that is given. */
  end(cause: EndCause): void;
}
