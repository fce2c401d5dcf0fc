type Variables = Readonly<Record<string, string | undefined>>;

/** Whether calls are made in a token's name and not in that of this user, whose terminal is nobody else's. */
export function actsByToken(env: Variables): boolean {
  return (env['WC_TOKEN'] ?? '') !== '';
}

/**
 * The part of a call's body that takes the caller's environment along, where the call runs
 * a program: used for that one execution, and without what is for `wc` itself. Nothing of
 * it goes with a token, which may not send one.
 */
export function callerEnvironment(env: Variables): { readonly environment?: Record<string, string> } {
  if (actsByToken(env)) return {};
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && name !== 'WC_TOKEN') environment[name] = value;
  }
  return { environment };
}
