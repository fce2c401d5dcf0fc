import type { Profile, RunnerSettings } from '../../protocol/runner/settings.js';

/** The profile of a project's commands; null when they have none. */
export interface ChosenProfile {
  readonly name: string;
  /** Null when no profile has that name: then nothing may start. */
  readonly profile: Profile | null;
}

/** The project's own profile, else the default one, else none (spec 03 §9). */
export function profileOf(
  settings: Pick<RunnerSettings, 'profiles' | 'default_profile' | 'project_profiles'>,
  project: string,
): ChosenProfile | null {
  const name = own(settings.project_profiles, project) ?? settings.default_profile;
  return name === undefined ? null : { name, profile: own(settings.profiles, name) ?? null };
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
