type Settled<Waits extends Record<string, Promise<unknown>>> = {
  [Name in keyof Waits]: { readonly by: Name; readonly value: Awaited<Waits[Name]> };
}[keyof Waits];

/** Whichever of some waits is over first, by its name; null when none is after `withinMs`. */
export async function firstOf<Waits extends Record<string, Promise<unknown>>>(waits: Waits, withinMs: number): Promise<Settled<Waits> | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), withinMs)));
  const named = Object.entries(waits).map(async ([by, wait]) => ({ by, value: await wait }) as Settled<Waits>);
  try {
    return await Promise.race([...named, late]);
  } finally {
    clearTimeout(timer);
  }
}
