import type { DaemonClient } from '../../client/index.js';
import { EXIT } from '../../client/index.js';
import { printableLine } from '../../client/render/index.js';
import { CommandFailure } from './command-failure.js';

/** A refusal by a route that is no tool: its sentence and what to do. */
export class OperatorRefusal extends CommandFailure {
  constructor(status: number, body: unknown) {
    const { message, hint } = refusalText(status, body);
    // A request that the route does not understand was typed wrongly.
    super(message, status === 400 ? EXIT.usage : EXIT.refused, hint);
  }
}

/**
 * Posts to an operator route.
 *
 * @returns the answer's body, which the caller knows by the route's contract
 * @throws OperatorRefusal for any status but 200
 */
export async function operatorRequest<Body>(client: DaemonClient, path: string, body: object): Promise<Body> {
  const answer = await client.request('POST', path, body);
  if (answer.status !== 200) throw new OperatorRefusal(answer.status, answer.body);
  return answer.body as Body;
}

/** Routes speak in two forms: `{error: {message, hint}}`, and the audit's `{status, error, error_kind}`. */
function refusalText(status: number, body: unknown): { readonly message: string; readonly hint: string } {
  const error = (body as { error?: unknown } | null)?.error;
  if (typeof error === 'string') return { message: sentence(error), hint: '' };
  const said = error as { message?: unknown; hint?: unknown } | null | undefined;
  return {
    message: typeof said?.message === 'string' ? sentence(said.message) : `The daemon answered with status ${status}.`,
    hint: typeof said?.hint === 'string' ? sentence(said.hint) : '',
  };
}

function sentence(text: string): string {
  const line = printableLine(text);
  return line.endsWith('.') ? line : `${line}.`;
}
