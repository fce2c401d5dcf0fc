import { createHash } from 'node:crypto';
import type { Json } from '../../protocol/tool-result.js';
import type { ValidatorRun } from './adapter.js';

const SCOPE_DOMAIN = 'webcodex.validation-scope.v1';

/**
 * `validation_target_id` (spec 06 §2): 24 hex over tool, kind and tuple. The same target
 * run again resolves what an earlier run of it left; counts, time-out and expectation are
 * no part of it.
 */
export function validationTargetId({ tool, kind, target }: Pick<ValidatorRun, 'tool' | 'kind' | 'target'>): string {
  return createHash('sha256').update(canonicalJson({ tool, kind, target })).digest('hex').slice(0, 24);
}

/** What two runs share that may be compared: a digest that reveals no path, package or filter. */
export function scopeIdentity({ tool, kind, purpose, cwd, scope }: ValidatorRun): string {
  const hash = createHash('sha256');
  const add = (text: string | null): void => {
    const bytes = Buffer.from(text ?? '');
    // Absent and empty differ, and no two lists of texts run together alike.
    hash.update(`${text === null ? '-' : bytes.length}:`).update(bytes);
  };
  const addAll = (texts: readonly string[]): void => {
    add(String(texts.length));
    texts.forEach(add);
  };
  for (const text of [SCOPE_DOMAIN, kind, tool, purpose, cwd, scope.package, scope.filter]) add(text);
  addAll(scope.features);
  addAll(scope.targets);
  return `validation_scope:v1:${hash.digest('hex')}`;
}

/** JSON with the keys of every object sorted. */
function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value as Record<string, Json>).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
