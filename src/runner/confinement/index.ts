export { fileErrorRefusal, isPermissionError, shown } from './file-error.js';
export { openRegularFile, type OpenedFile } from './open-regular-file.js';
export { pathProtection, PROTECTED_NAME_GLOBS, type PathProtection } from './path-protection.js';
export { parseProjectPath } from './project-path.js';
export { secretByName } from './secret-by-name.js';
export {
  resolveInside,
  resolveInsideRoot,
  resolveNewInside,
  type InsideRoot,
  type NewInsideRoot,
} from './resolve-inside-root.js';
export { verifyRoot, type VerifiedRoot } from './verified-root.js';
