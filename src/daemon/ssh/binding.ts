import { createHmac } from 'node:crypto';
import type { SshResource } from '../../protocol/runner/ssh.js';

export const BINDING_PATTERN = /^wc_sbind_[0-9a-f]{32}$/;

/**
 * Names one definition of a resource, without saying anything of it: another definition
 * under the same name has another binding, and so has the same in another life of the daemon.
 *
 * @param key random, of this life of the daemon
 */
export function bindingOf(key: Buffer, name: string, resource: SshResource): string {
  const definition = JSON.stringify([name, ...Object.entries(resource).sort(([one], [other]) => (one < other ? -1 : 1))]);
  return `wc_sbind_${createHmac('sha256', key).update(definition).digest('hex').slice(0, 32)}`;
}
