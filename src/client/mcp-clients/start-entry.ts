import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ServerEntry } from './server-entry.js';

/** How long a server may take until it has listed its tools, in milliseconds; clients give up at about that. */
const WITHIN_MS = 10_000;
const PROTOCOL = '2025-11-25';

/** What became of an entry that was started as a client starts it. */
export type StartedEntry =
  | { readonly ok: true; readonly tools: number; readonly ms: number }
  | { readonly ok: false; readonly reason: string };

/** What clients leave of the environment at the least. */
export interface BareEnvironment {
  readonly home: string;
  /** The client's own variables, for what an entry refers to. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts an entry for real, with nothing but HOME and the system's PATH beside its own
 * variables, and asks it for its tools. Starts no daemon.
 */
export async function startEntry(entry: ServerEntry, { home, env }: BareEnvironment, withinMs = WITHIN_MS): Promise<StartedEntry> {
  const begun = performance.now();
  const passed = entry.passed.flatMap((name): [string, string][] => (env[name] === undefined ? [] : [[name, env[name]]]));
  const own = Object.entries(entry.env).map(([name, value]) => [name, resolved(value, env)] as const);
  const child = spawn(entry.command, entry.args, {
    env: { PATH: '/usr/bin:/bin', HOME: home, ...Object.fromEntries(passed), ...Object.fromEntries(own) },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // What is sent to a server that ended is lost, and its end says why.
  child.stdin.on('error', () => undefined);
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  try {
    const outcome = await Promise.race([converse(child), ended(child, withinMs)]);
    return typeof outcome === 'string' ? { ok: false, reason: outcome } : { ok: true, tools: outcome, ms: performance.now() - begun };
  } finally {
    clearTimeout(timer);
    child.stdin.end();
    child.kill();
  }
}

/** The number of tools, or what the server refused with; never settles for one that says nothing. */
async function converse(child: ChildProcess): Promise<number | string> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) return 'it has no standard input and output';
  const send = (message: object): void => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 1, method: 'initialize', params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: 'wc-doctor', version: '1' } } });
  for await (const line of createInterface({ input: stdout })) {
    const message = read(line);
    if (message === null) return `it printed what is no message: ${line.slice(0, 100)}`;
    if (message.error !== undefined) return `it answered: ${message.error.message ?? 'an error'}`;
    if (message.id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list', params: {} });
    }
    if (message.id === 2) return message.result?.tools?.length ?? 'its list of tools is none';
  }
  return new Promise<never>(() => undefined);
}

interface Answer {
  readonly id?: number;
  readonly error?: { readonly message?: string };
  readonly result?: { readonly tools?: readonly unknown[] };
}

function read(line: string): Answer | null {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return null;
  }
}

/** Why it ended without an answer. */
function ended(child: ChildProcess, withinMs: number): Promise<string> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-2_000)));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`it can not be started: ${error.message}`));
    child.once('close', (code, signal) => {
      if (signal === 'SIGKILL') return resolve(`it gave no answer within ${withinMs / 1000} s`);
      resolve(`it ended with ${code === null ? (signal ?? 'a signal') : `exit code ${code}`}${said.trim() === '' ? '' : `: ${said.trim().split('\n').at(-1) ?? ''}`}`);
    });
  });
}

/** A value that is a reference to a variable, as clients write them, and any other as it is. */
function resolved(value: string, env: Readonly<Record<string, string | undefined>>): string {
  const name = /^(?:\$?\{(?:env:)?(\w+)(?::-)?\}|\$(\w+))$/.exec(value);
  const variable = name?.[1] ?? name?.[2];
  return variable === undefined ? value : (env[variable] ?? '');
}
