import { EXIT } from '../../client/index.js';
import { CommandFailure } from './command-failure.js';

/** A mistake in the command line itself: nothing was sent. */
export class UsageError extends CommandFailure {
  constructor(message: string, hint?: string) {
    super(message, EXIT.usage, hint);
  }
}
