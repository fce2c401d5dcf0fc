import { z } from 'zod';
import { SSH_TRANSPORTS, testResourceMethod, type SshResource } from '../../../protocol/runner/ssh.js';
import { failure, success, type Failure, type JsonObject, type ToolResult } from '../../../protocol/tool-result.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import type { RunnerConfiguration } from '../../runner-config/index.js';
import type { RunnerPort } from '../../runner-link/index.js';
import { BINDING_PATTERN, bindingOf } from '../binding.js';
import { resourceOf, withResources } from '../edit-resources.js';

export interface ManageDeps {
  readonly configuration: RunnerConfiguration;
  readonly runner: RunnerPort;
  /** Random, of this life of the daemon. */
  readonly bindingKey: Buffer;
}

const ACTIONS = ['list', 'register', 'remove', 'test'] as const;

const input = z.strictObject({
  action: z.enum(ACTIONS),
  name: z.string().optional().meta({ description: 'The resource; all but list name it, or its binding' }),
  target: z.string().optional().meta({ description: 'For register: what the ssh of this machine is given, for ssh2 a host name; it is never shown again' }),
  transport: z.enum(SSH_TRANSPORTS).optional().meta({ description: "For register: openssh, the default, goes by the user's SSH configuration; ssh2 by the three below alone" }),
  port: z.int().optional().meta({ description: 'For ssh2: default 22' }),
  user: z.string().optional().meta({ description: 'For ssh2' }),
  identity_file: z.string().optional().meta({ description: 'For ssh2: the private key; default the agent' }),
  default_cwd: z.string().optional().meta({ description: 'For register: where commands start; default the login folder' }),
  binding: z.string().optional().meta({ pattern: BINDING_PATTERN.source, description: 'The very definition that is meant, as list showed it' }),
});
type ManageInput = z.output<typeof input>;

/** `manage_ssh_resource` (spec 04 §7.13): the hosts that Sessions may work on. No answer shows a target. */
export function manageSshResource(deps: ManageDeps): Tool {
  return defineTool(
    {
      name: 'manage_ssh_resource',
      title: 'Manage SSH resources',
      summary: 'Lists, registers, removes and tests the hosts that Sessions may work on; their targets are never shown.',
      description: 'A name that is taken is registered anew only with the binding of what it stands for now. Commands that run go on on the old host.',
      category: 'execution',
      visibility: 'model_visible',
      effect: 'mutate',
      risk: 'run_control',
      approval: 'standard',
      idempotency: 'desired_state',
      scopes: { kind: 'all', scopes: ['ssh:local'] },
      session: 'none',
      project: 'none',
      path_hint: 'none',
      destructive: false,
      shell_like: false,
      captures_validation_output: false,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'none',
      recorded_inputs: ['action'],
      cli: { positionals: ['action', 'name'] },
      input,
      output: z.looseObject({ action: z.enum(ACTIONS) }),
    },
    async (given) => ({ result: await manage(deps, given) }),
  );
}

async function manage(deps: ManageDeps, given: ManageInput): Promise<ToolResult> {
  switch (given.action) {
    case 'list':
      return success({ action: 'list', resources: Object.entries(resources(deps)).map(([name, resource]) => view(deps, name, resource)) });
    case 'register':
      return register(deps, given);
    case 'remove':
      return remove(deps, given);
    case 'test':
      return test(deps, given);
  }
}

async function register(deps: ManageDeps, { action: _action, binding, name, target, ...given }: ManageInput): Promise<ToolResult> {
  if (name === undefined || target === undefined) return missing('register takes a name and a target');
  const checked = resourceOf({ name, target, ...given });
  if ('failure' in checked) return checked.failure;
  const { resource } = checked;
  const standing = Object.hasOwn(resources(deps), name) ? resources(deps)[name] : undefined;
  if (standing !== undefined) {
    if (bindingOf(deps.bindingKey, name, standing) === bindingOf(deps.bindingKey, name, resource)) {
      return success({ action: 'register', outcome: 'unchanged', state_changed: false, ...view(deps, name, resource) });
    }
    if (binding !== bindingOf(deps.bindingKey, name, standing)) {
      return failure('already_exists', `There is a resource "${name}" with another definition; remove it first, or give its binding to replace it.`, { name, state_changed: false });
    }
  }
  const edited = await deps.configuration.edit((document) => withResources(document, (all) => ({ ...all, [name]: resource })));
  if ('failure' in edited) return edited.failure;
  return success({
    action: 'register',
    outcome: standing === undefined ? 'registered' : 'replaced',
    state_changed: true,
    generation: edited.generation,
    ...view(deps, name, resource),
  });
}

async function remove(deps: ManageDeps, given: ManageInput): Promise<ToolResult> {
  const found = find(deps, given);
  if ('success' in found) return found;
  const edited = await deps.configuration.edit((document) =>
    withResources(document, (all) => Object.fromEntries(Object.entries(all).filter(([name]) => name !== found.name))),
  );
  if ('failure' in edited) return edited.failure;
  return success({ action: 'remove', name: found.name, outcome: 'removed', state_changed: true, generation: edited.generation });
}

async function test(deps: ManageDeps, given: ManageInput): Promise<ToolResult> {
  const found = find(deps, given);
  if ('success' in found) return found;
  const tested = await deps.runner.call(testResourceMethod, { resource: found.name });
  if ('failure' in tested) return tested.failure;
  const facts = { action: 'test', name: found.name, ...tested.answer };
  return tested.answer.reason_code === null
    ? success(facts)
    : failure('ssh_connection_failed', `The resource "${found.name}" can not be worked on (${tested.answer.reason_code.replaceAll('_', ' ')}).`, { ...facts, state_changed: false });
}

/** The resource that a name, a binding, or both of them mean. */
function find(deps: ManageDeps, { action, name, binding }: ManageInput): { readonly name: string } | Failure {
  if (name === undefined && binding === undefined) return missing(`${action} takes a name or a binding`);
  const found = Object.entries(resources(deps)).find(
    ([known, resource]) => (name === undefined || known === name) && (binding === undefined || bindingOf(deps.bindingKey, known, resource) === binding),
  );
  if (found !== undefined) return { name: found[0] };
  return failure('ssh_resource_not_found', 'There is no such SSH resource on this machine; list shows those that there are.', { ...(name === undefined ? {} : { name: name.slice(0, 80) }), state_changed: false });
}

function resources({ configuration }: ManageDeps): Readonly<Record<string, SshResource>> {
  return configuration.settings.ssh.resources;
}

function view(deps: ManageDeps, name: string, resource: SshResource): JsonObject {
  return { name, binding: bindingOf(deps.bindingKey, name, resource), transport: resource.transport, default_cwd: resource.default_cwd ?? null };
}

function missing(what: string): Failure {
  return failure('invalid_arguments', `The action ${what}.`, { state_changed: false });
}
