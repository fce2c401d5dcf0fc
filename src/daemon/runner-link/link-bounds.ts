/** Every wait of the link, in milliseconds. */
export interface LinkBounds {
  /** How long a call waits for a Runner to come up. */
  readonly callWaitsMs: number;
  /** From the spawn to the first accepted connection. */
  readonly startMs: number;
  /** How often a starting Runner's socket is tried. */
  readonly startPollMs: number;
  /** A hello that stays unanswered for so long means that the Runner does not respond. */
  readonly helloMs: number;
  /** How often a connected Runner is asked whether it still responds. */
  readonly pulseMs: number;
  /** A Runner whose hello is late by so much is looked at: one that was stopped will not answer. */
  readonly lateMs: number;
  /** A Runner that lived for so long did not fail by starting. */
  readonly stableMs: number;
  /** From the request to shut down to the Runner's end: 12 s for its children, and a margin. */
  readonly shutdownMs: number;
}

export const LINK_BOUNDS: LinkBounds = {
  callWaitsMs: 10_000,
  startMs: 15_000,
  startPollMs: 10,
  helloMs: 10_000,
  pulseMs: 2_000,
  lateMs: 1_000,
  stableMs: 30_000,
  shutdownMs: 14_000,
};
