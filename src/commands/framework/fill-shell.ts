/** Names the shell of a person's choice for `wc shell …`, as `WC_SESSION` names a Session. */
const SHELL_VARIABLE = 'WC_SHELL';

/** Arguments with the shell that the variable names, where the line names none; an empty one says nothing. */
export function fillShell(args: Record<string, unknown>, env: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const shell = args['shell_id'] ?? (env[SHELL_VARIABLE] || undefined);
  return shell === undefined ? args : { ...args, shell_id: shell };
}
