import type { Refusal } from '../../protocol/runner/project-root.js';
import { boundedSignal, endedRefusal, untilEnded } from '../deadline.js';
import type { Places } from '../places.js';

/**
 * File work of one request: within its bound, and in places that the whole process
 * shares, so that a file system that hangs takes no thread from other calls.
 */
export class BoundedWork {
  /** Aborted by the caller or by the bound. */
  readonly signal: AbortSignal;

  constructor(
    private readonly request: AbortSignal,
    milliseconds: number,
    private readonly shared: Places,
    /** What a person reads when it did not end in time, for example `The read`. */
    private readonly what: string,
  ) {
    this.signal = boundedSignal(request, milliseconds);
  }

  /** Runs a piece of work; `timeout` or `cancelled` when it did not end in time. */
  async run<T>(work: () => Promise<T>, own?: Places): Promise<T | Refusal> {
    const inPlace = (): Promise<T> => this.shared.run(work);
    try {
      return await untilEnded(own === undefined ? inPlace() : own.run(inPlace), this.signal);
    } catch (error) {
      if (this.signal.aborted) return endedRefusal(this.signal, this.what);
      throw error;
    }
  }

  /** The refusal for a caller who cancelled, or null: half of an answer is of no use then. */
  cancelled(): Refusal | null {
    return this.request.aborted ? endedRefusal(this.request, this.what) : null;
  }
}
