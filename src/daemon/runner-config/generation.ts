import { describeEnvironmentMethod } from '../../protocol/runner/execution.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { RunnerPort } from '../runner-link/index.js';

/** The generation of the settings that the Runner goes by. */
export async function generationInForce(runner: RunnerPort): Promise<number | { readonly failure: Failure }> {
  const described = await runner.call(describeEnvironmentMethod, {});
  return 'failure' in described ? described : described.answer.generation;
}

/** There is one Runner. */
export function unknownRunner(clientId: string): Failure | null {
  return clientId === 'local' ? null : failure('unknown_client_id', 'There is one Runner, and its client_id is local.', { state_changed: false });
}
