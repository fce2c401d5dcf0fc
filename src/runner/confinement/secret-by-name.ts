import { isRefusal } from '../request.js';
import { pathProtection } from './path-protection.js';
import { parseProjectPath } from './project-path.js';

/**
 * Whether a path, as it was asked for, is secret by its name alone. It is judged before
 * the file system is touched, so that nobody learns which secrets exist.
 */
export function secretByName(path: string): boolean {
  const parsed = parseProjectPath(path);
  return !isRefusal(parsed) && pathProtection(parsed.relative) === 'secret';
}
