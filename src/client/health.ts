import type { Agent } from 'node:http';
import type { Health } from '../protocol/api.js';
import { exchange } from './exchange.js';
import { readPlainAnswer } from './read-answer.js';
import { isCode } from './state.js';

/** How long a daemon has to say that it is well, in milliseconds. */
export const HEALTH_WITHIN_MS = 2_000;

/** What asking for health finds out. A connect alone proves nothing: a stopped process accepts it too. */
export type HealthProbe =
  | { readonly state: 'healthy'; readonly health: Health }
  /** Nothing listens there. */
  | { readonly state: 'absent' }
  /** Something listens and says nothing, or no such thing as health, within the bound. */
  | { readonly state: 'silent'; readonly reason: string };

export interface ProbeOptions {
  readonly socketPath: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent?: Agent;
  /** In milliseconds; default 2,000. */
  readonly within?: number;
}

/** Asks the daemon behind a socket how it is. Never throws for what it finds. */
export async function probeHealth(options: ProbeOptions): Promise<HealthProbe> {
  const { socketPath, within = HEALTH_WITHIN_MS } = options;
  if (socketPath === null) return { state: 'absent' };
  const signal = timeoutAfterATurn(within);
  const ask = async (agent?: Agent): Promise<HealthProbe> => {
    const response = await exchange({
      socketPath,
      method: 'GET',
      path: '/api/health',
      headers: options.headers,
      signal,
      ...(agent ? { agent } : {}),
    });
    const { status, body } = await readPlainAnswer(response);
    if (status === 200 && isHealth(body)) return { state: 'healthy', health: body };
    return { state: 'silent', reason: `it answered status ${status} to a question for its health` };
  };
  try {
    return await ask(options.agent);
  } catch (error) {
    if (signal.aborted) return { state: 'silent', reason: `it gave no answer within ${within / 1000} s` };
    if (isAbsent(error)) return { state: 'absent' };
    // An idle connection of a daemon that is gone; a new connection tells.
    if (isCode(error, 'ECONNRESET', 'EPIPE')) return askAnew(ask, signal, within);
    return { state: 'silent', reason: (error as Error).message };
  }
}

/**
 * Aborts after `within` and one more turn of the event loop: on a busy machine this very
 * process may have slept, and an answer that is already there is to be read first.
 */
function timeoutAfterATurn(within: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => setImmediate(() => controller.abort()), within).unref();
  return controller.signal;
}

async function askAnew(
  ask: () => Promise<HealthProbe>,
  signal: AbortSignal,
  within: number,
): Promise<HealthProbe> {
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted) return { state: 'silent', reason: `it gave no answer within ${within / 1000} s` };
    // A reset on a connection of its own: the daemon ended under the question.
    if (isAbsent(error) || isCode(error, 'ECONNRESET', 'EPIPE')) return { state: 'absent' };
    return { state: 'silent', reason: (error as Error).message };
  }
}

/** Whether nothing listens at the address that a connect was tried on. */
export function isAbsent(error: unknown): boolean {
  return isCode(error, 'ENOENT', 'ECONNREFUSED', 'ENOTSOCK');
}

function isHealth(body: unknown): body is Health {
  const health = body as Partial<Health> | null;
  return typeof health?.version === 'string' && typeof health.pid === 'number' && typeof health.calls_in_flight === 'number';
}
