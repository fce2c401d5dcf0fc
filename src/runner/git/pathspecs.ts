import type { Refusal } from '../../protocol/runner/project-root.js';
import { parseProjectPath, pathProtection, shown } from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';

/**
 * Paths of a caller as pathspecs that mean just these files and folders, whatever
 * characters they hold. A protected one is refused by its name.
 *
 * @param prefix where the project's folder lies in the work tree; paths are from the top then
 */
export function literalPathspecs(paths: readonly string[], prefix: string | null): string[] | Refusal {
  const specs: string[] = [];
  for (const path of paths) {
    const parsed = parseProjectPath(path);
    if (isRefusal(parsed)) return parsed;
    if (pathProtection(parsed.relative) === 'secret') {
      return refuse('sensitive_path', `${shown(parsed.relative)} is protected by its name and is not shown.`, { path: parsed.relative });
    }
    specs.push(prefix === null ? `:(literal)${parsed.relative === '' ? '.' : parsed.relative}` : `:(top,literal)${prefix}${parsed.relative}`);
  }
  if (specs.length === 0 && prefix !== null) specs.push(prefix === '' ? ':(top)' : `:(top,literal)${prefix}`);
  return specs;
}
