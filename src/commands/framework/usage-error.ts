/** A mistake in the command line itself: exit code 2, and nothing was sent. */
export class UsageError extends Error {
  /** What to type instead, if that is known. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}
