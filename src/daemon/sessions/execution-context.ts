import { failure, type Failure } from '../../protocol/tool-result.js';
import type { SessionExecutionContext } from '../kernel/ports.js';
import { redactText } from '../redaction/index.js';

/** Execution defaults as a caller gives them: types are checked, values are not. */
export interface GivenExecutionContext {
  readonly default_cwd?: string | undefined;
  readonly default_shell?: string | undefined;
  readonly resource?: string | undefined;
}

const RESOURCE = /^[A-Za-z0-9_.-]{1,80}$/;
const SCHEME_OR_DRIVE = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const CONTROL = /\p{Cc}/u;
const CWD_BYTES = 4_096;

/**
 * Checks and normalizes execution defaults (spec 01 §8). Only their form is judged:
 * whether the folder exists is seen when something is executed there.
 */
export function normalizeExecutionContext(
  given: GivenExecutionContext,
  hasProject: boolean,
): { readonly context: SessionExecutionContext } | { readonly failure: Failure } {
  const { default_cwd: cwd, default_shell: shell, resource } = given;
  if (cwd === undefined && shell === undefined && resource === undefined) return { context: {} };
  if (!hasProject) {
    return {
      failure: failure(
        'session_execution_context_requires_project',
        'execution defaults belong to a project, and this Session has none; start one on a project',
        { state_changed: false },
      ),
    };
  }
  if (shell !== undefined && shell !== 'sh' && shell !== 'bash') {
    return invalid('default_shell', 'default_shell is sh or bash');
  }
  if (resource !== undefined && (!RESOURCE.test(resource) || resource.includes('..'))) {
    return invalid('resource', 'resource is the name of a configured SSH resource: 1 to 80 letters, digits, "_", "." or "-"');
  }
  const folder = cwd === undefined ? undefined : resource === undefined ? projectFolder(cwd) : remoteFolder(cwd);
  if (folder === null) {
    return invalid('default_cwd', 'default_cwd is a folder inside the project, relative to its root, or a path on the resource');
  }
  // It could not be cut out: what is left would name another folder.
  if (folder !== undefined && redactText(folder).redacted) {
    return invalid('default_cwd', 'default_cwd looks like it holds a credential, and a Session keeps none; use another folder');
  }
  return {
    context: {
      ...(folder === undefined ? {} : { default_cwd: folder }),
      ...(shell === undefined ? {} : { default_shell: shell }),
      ...(resource === undefined ? {} : { resource }),
    },
  };
}

/** `a//./b\c` is `a/b/c`; whatever could leave the project is null. */
function projectFolder(cwd: string): string | null {
  if (CONTROL.test(cwd) || /^[/\\]/.test(cwd) || SCHEME_OR_DRIVE.test(cwd) || Buffer.byteLength(cwd) > CWD_BYTES) return null;
  const parts = cwd.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return null;
  return parts.length === 0 ? '.' : parts.join('/');
}

/** A path on another machine is that machine's business, beyond its length and plain characters. */
function remoteFolder(cwd: string): string | null {
  const bytes = Buffer.byteLength(cwd);
  return bytes >= 1 && bytes <= CWD_BYTES && !CONTROL.test(cwd) ? cwd : null;
}

function invalid(field: string, message: string): { readonly failure: Failure } {
  return { failure: failure('invalid_execution_context', message, { field, state_changed: false }) };
}

/** Whether two contexts say the same. */
export function sameExecutionContext(one: SessionExecutionContext, other: SessionExecutionContext): boolean {
  return one.default_cwd === other.default_cwd && one.default_shell === other.default_shell && one.resource === other.resource;
}
