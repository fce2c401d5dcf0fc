/** The output thread failed; what it read is lost. */
export class OutputLostError extends Error {}

/** Somebody who waits for the thread. */
export interface Waiter<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}
