import type { ProjectProbe, ValidationRequest } from '../../../src/daemon/validation/adapter.js';

/** A project that holds these files; null is one that is there and can not be read as text. */
export function probeOf(files: Readonly<Record<string, string | null>>): ProjectProbe {
  return {
    files: async (paths) => new Set(paths.filter((path) => Object.hasOwn(files, path))),
    text: async (path) => files[path] ?? null,
  };
}

export function requestFor(action: ValidationRequest['action'], changes: Partial<ValidationRequest> = {}): ValidationRequest {
  return { action, scope: null, filter: null, minimumTests: action === 'test' ? 1 : null, timeoutSecs: 1_800, ...changes };
}
