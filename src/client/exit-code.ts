/** The exit codes of the CLI (DESIGN, CLI manners). */
export const EXIT = {
  success: 0,
  /** The tool said no. */
  refused: 1,
  /** The command line itself was wrong. */
  usage: 2,
  /** No daemon answered. */
  noDaemon: 3,
  /** A program that `wc` ran was ended by its time-out. */
  timedOut: 124,
  /** `wc` itself failed where a program's own exit code was expected. */
  ownFailure: 125,
  /** Added to the number of the signal that ended the program. */
  signalBase: 128,
} as const;
