/** An argv. */
export interface Argv {
  readonly executable: string;
  readonly args: readonly string[];
}

const SCRIPT = 'exec 3>&1 1>&2; exec "$@"';

/**
 * The same program, in the same process, with a channel of its own for its report:
 * what is written to descriptor 3 is the run's stdout, and what the program prints is its
 * stderr. No file is made, so none is left behind, whatever ends the run; and the
 * report's size is bounded and spooled like any output.
 */
export function withReportChannel({ executable, args }: Argv): Argv {
  return { executable: 'sh', args: ['-c', SCRIPT, 'sh', executable, ...args] };
}
