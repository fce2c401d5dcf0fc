import type { Environment } from './child-environment.js';
import { SYSTEM_PATH } from './session-variables.js';

/** Who the user is and how they read; nothing that a start file, an agent or a display has set. */
const KEPT = /^(?:HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR)$/;

/** What a profile with `environment_mode: isolated` starts from (spec 03 §9). */
export function isolatedEnvironment(base: Environment): Environment {
  const kept = Object.entries(base).filter(([name]) => KEPT.test(name));
  return { ...Object.fromEntries(kept), PATH: SYSTEM_PATH };
}
