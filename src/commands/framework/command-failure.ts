/** Why a command ended without its result: one sentence, what to do, and the exit code. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
    /** What to do, if that is known. */
    readonly hint?: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}
