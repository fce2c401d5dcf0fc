import type { z } from 'zod';
import type { describeEnvironmentMethod } from '../../protocol/runner/execution.js';
import type { CurrentSettings } from '../policy/current-settings.js';

type Description = z.input<typeof describeEnvironmentMethod.result>;

/** The settings as a status shows them: names, and never a value. */
export function settingsInForce({ generation, value }: CurrentSettings): Pick<
  Description,
  'generation' | 'path_prepend' | 'shell_env' | 'profiles' | 'default_profile'
> {
  return {
    generation,
    path_prepend: [...value.path_prepend],
    shell_env: Object.keys(value.shell.env).sort(),
    profiles: Object.entries(value.profiles).map(([name, profile]) => ({
      name,
      environment_mode: profile.environment_mode,
      env: Object.keys(profile.env).sort(),
      has_init_script: profile.init_script !== undefined,
      projects: Object.keys(value.project_profiles)
        .filter((project) => value.project_profiles[project] === name)
        .sort(),
    })),
    default_profile: value.default_profile ?? null,
  };
}
