/**
 * The caller's environment as it travels with a call that runs a program: used for that
 * one execution, and without what is for `wc` itself.
 */
export function callerEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const travelling: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && name !== 'WC_TOKEN') travelling[name] = value;
  }
  return travelling;
}
