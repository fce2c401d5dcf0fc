import { sshResourceSchema, resourceName, type SSH_TRANSPORTS, type SshResource } from '../../protocol/runner/ssh.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { Document } from '../runner-config/index.js';

/** A resource as a caller gives it: types are checked, values are not. */
export interface GivenResource {
  readonly name: string;
  readonly target: string;
  readonly transport?: (typeof SSH_TRANSPORTS)[number] | undefined;
  readonly port?: number | undefined;
  readonly user?: string | undefined;
  readonly identity_file?: string | undefined;
  readonly default_cwd?: string | undefined;
}

/** What is wrong, by the key of the configuration; a caller calls the host a target. */
const WRONG: Readonly<Record<string, string>> = {
  target: 'the target is what you would give to ssh, 1 to 512 characters, no control character, no "-" in front; for ssh2 a host name or an address',
  port: 'a port is 1 to 65,535',
  user: 'a resource of transport ssh2 has a user, of 1 to 255 characters',
  identity_file: 'an identity file is an absolute path, or one behind "~/"',
  default_cwd: 'default_cwd is a path of 1 to 4,096 bytes without control characters',
};

/** Checks the form of a resource; whether its host is there is seen when it is used. */
export function resourceOf({ name, target, ...given }: GivenResource): { readonly resource: SshResource } | { readonly failure: Failure } {
  if (!resourceName.safeParse(name).success) return invalid('name', 'a name is 1 to 80 letters, digits, "_", "." or "-", without ".."');
  const parsed = sshResourceSchema.safeParse({ ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)), host: target });
  if (parsed.success) return { resource: parsed.data };
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const field = issue.keys[0] ?? 'target';
    return invalid(field, `with transport openssh the SSH configuration says ${field}, not the resource; leave it out, or take transport ssh2`);
  }
  const field = issue?.path[0] === 'host' ? 'target' : String(issue?.path[0]);
  return invalid(field, WRONG[field] ?? 'it has no such form');
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
