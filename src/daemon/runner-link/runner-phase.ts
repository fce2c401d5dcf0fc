import { failure, type Failure } from '../../protocol/tool-result.js';
import { unavailable } from './answer-of.js';
import type { RunnerState } from './port.js';
import type { RunnerConnection } from './runner-connection.js';

/** How the Runner is reached at this moment. Reasons end a sentence: "The Runner is not available: …". */
export type RunnerPhase =
  | { readonly kind: 'up'; readonly connection: RunnerConnection; readonly state: RunnerState }
  /** Calls wait: it is being reached or restarted. */
  | { readonly kind: 'coming'; readonly reason: string }
  /** Calls fail at once: waiting would not help. */
  | { readonly kind: 'blocked'; readonly reason: string };

/** Holds the phase, and lets calls wait for a Runner. */
export class PhaseHolder {
  private phase: RunnerPhase = { kind: 'coming', reason: 'it is still being reached' };
  private readonly waiting = new Set<() => void>();

  get current(): RunnerPhase {
    return this.phase;
  }

  enter(phase: RunnerPhase): void {
    this.phase = phase;
    for (const wake of [...this.waiting]) wake();
  }

  /** The connection, as soon as there is one before `deadline` (monotonic), or why there is none. */
  async untilUp(deadline: number, signal: AbortSignal | undefined): Promise<RunnerConnection | Failure> {
    for (;;) {
      const { phase } = this;
      if (signal?.aborted === true) {
        return failure('cancelled', 'The call was cancelled before it reached the Runner.', { state_changed: false });
      }
      if (phase.kind === 'up' && !phase.connection.isOver) return phase.connection;
      const left = deadline - performance.now();
      if (phase.kind === 'blocked' || left <= 0) return unavailable(phase.kind === 'up' ? 'it has just ended' : phase.reason);
      await this.change(left, signal);
    }
  }

  private change(withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      signal?.addEventListener('abort', done, { once: true });
      this.waiting.add(done);
    });
  }
}
