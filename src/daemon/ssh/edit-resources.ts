import { sshResourceSchema, resourceName, type SshResource } from '../../protocol/runner/ssh.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { Document } from '../runner-config/index.js';

/** A resource as a caller gives it: types are checked, values are not. */
export interface GivenResource {
  readonly name: string;
  readonly host: string;
  readonly default_cwd?: string | undefined;
}

/** Checks the form of a resource; whether its host is there is seen when it is used. */
export function resourceOf({ name, host, default_cwd: cwd }: GivenResource): { readonly resource: SshResource } | { readonly failure: Failure } {
  if (!resourceName.safeParse(name).success) return invalid('name', 'a name is 1 to 80 letters, digits, "_", "." or "-", without ".."');
  const parsed = sshResourceSchema.safeParse({ host, ...(cwd === undefined ? {} : { default_cwd: cwd }) });
  if (parsed.success) return { resource: parsed.data };
  return parsed.error.issues[0]?.path[0] === 'default_cwd'
    ? invalid('default_cwd', 'default_cwd is a path of 1 to 4,096 bytes without control characters')
    : invalid('target', 'the target is what you would give to ssh: 1 to 512 characters, no control character, no "-" in front');
}

/** The document of the configuration with other resources; everything else in it stays. */
export function withResources(document: Document, change: (resources: Document) => Document): Document {
  const runner = objectOf(document['runner']);
  const ssh = objectOf(runner['ssh']);
  return { ...document, runner: { ...runner, ssh: { ...ssh, resources: change(objectOf(ssh['resources'])) } } };
}

function objectOf(value: unknown): Document {
  return typeof value === 'object' && value !== null ? (value as Document) : {};
}

function invalid(field: string, message: string): { readonly failure: Failure } {
  return { failure: failure('ssh_resource_invalid', `The resource is not valid: ${message}.`, { field, state_changed: false }) };
}
