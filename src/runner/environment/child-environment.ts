import type { Noninteractive } from './noninteractive.js';
import { isProductToken } from './product-tokens.js';

export type Environment = Readonly<Record<string, string>>;

export interface EnvironmentParts {
  /** The user's own. */
  readonly base: Environment;
  /** The caller's, for this one execution; it wins over the base. */
  readonly caller: Environment | null;
  /** Null when children may ask. */
  readonly noninteractive: Noninteractive | null;
  /** The execution's own variables; they win over everything. */
  readonly own: Environment;
}

/** The environment of one child: never with a token of ours, whoever sent it. */
export function childEnvironment({ base, caller, noninteractive, own }: EnvironmentParts): Record<string, string> {
  const given = Object.entries({ ...base, ...caller }).filter(
    ([name, value]) =>
      canBeCarried(name, value) && !isProductToken(name) && noninteractive?.unset.includes(name) !== true,
  );
  return { ...Object.fromEntries(given), ...noninteractive?.set, ...own };
}

/** Whether the system can carry the variable at all. */
function canBeCarried(name: string, value: string): boolean {
  return name !== '' && !name.includes('=') && !name.includes('\0') && !value.includes('\0');
}
