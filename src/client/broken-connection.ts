import { ClientError } from './client-error.js';
import { isAbsent } from './health.js';

/** Gives a broken connection the name of what it means for the call. */
export function nameBreak(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  return isAbsent(error) ? notTaken(error) : lost(error);
}

/** The daemon went away between its health and the call. */
export function notTaken(cause?: unknown): ClientError {
  return new ClientError('call_not_taken', 'The daemon ended before it took the call; nothing happened.', 'Repeat the call.', {
    cause,
  });
}

function lost(cause?: unknown): ClientError {
  const why = cause instanceof Error ? ` (${(cause as NodeJS.ErrnoException).code ?? cause.message})` : '';
  return new ClientError(
    'connection_lost',
    `The daemon ended before it answered${why}; whether the call had its effect is not known.`,
    'Look at what changed before you repeat it.',
    { cause },
  );
}
