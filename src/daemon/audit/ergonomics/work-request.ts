import type { JsonMap } from '../json-value.js';
import { closedLabel } from './closed-values.js';

const MODES = ['checkout', 'worktree'] as const;
const PROFILES = ['direct', 'host_code_mode', 'code_mode'] as const;

/** The shape of a `work_on_project` request: what was said and what was left to the defaults. */
export function workRequest(given: JsonMap): Record<string, unknown> {
  const says = (name: string): boolean => given[name] !== undefined && given[name] !== null;
  return {
    resume_requested: says('session_id'),
    base_ref_present: says('base_ref'),
    mode_explicit: says('mode'),
    guidance_profile_explicit: says('guidance_profile'),
    include_extension_catalog_explicit: says('include_extension_catalog'),
    source: projectSource(says),
    mode: says('mode') ? (closedLabel(given['mode'], MODES) ?? 'invalid') : 'checkout',
    guidance_profile: says('guidance_profile') ? (closedLabel(given['guidance_profile'], PROFILES) ?? 'invalid') : 'direct',
    include_extension_catalog: extensionCatalog(given, says),
  };
}

/** Where the project comes from: its id, a folder of a Runner, or the Session that is resumed. */
function projectSource(says: (name: string) => boolean): 'project' | 'path' | 'session' | 'invalid' {
  const byFolder = says('client_id') && says('path');
  const halfFolder = says('client_id') || says('path');
  if (says('project')) return halfFolder ? 'invalid' : 'project';
  if (halfFolder) return byFolder ? 'path' : 'invalid';
  return says('session_id') ? 'session' : 'invalid';
}

function extensionCatalog(given: JsonMap, says: (name: string) => boolean): boolean | null {
  const value = given['include_extension_catalog'];
  if (!says('include_extension_catalog')) return false;
  return typeof value === 'boolean' ? value : null;
}
