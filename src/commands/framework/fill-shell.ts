import { UsageError } from './usage-error.js';

/** Names the shell of a person's choice for `wc shell …`, as `WC_SESSION` names a Session. */
const SHELL_VARIABLE = 'WC_SHELL';

/**
 * Arguments with the shell that the variable names, where the line names none; an empty one says nothing.
 *
 * @throws UsageError when neither names one
 */
export function fillShell(args: Record<string, unknown>, env: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const shell = args['shell_id'] ?? (env[SHELL_VARIABLE] || undefined);
  if (shell === undefined) {
    throw new UsageError(`No shell is named: give its id, or set ${SHELL_VARIABLE} to what 'wc shell open' printed.`);
  }
  return { ...args, shell_id: shell };
}
