import { performance } from 'node:perf_hooks';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import { measureToolSurface, type ToolSurface } from '../protocol/tool-surface.js';
import type { Era } from './forward.js';

/** One `tools/list` that was answered, for the audit (spec 05 §8). Times are Unix milliseconds. */
export interface ListedTools {
  readonly era: Era;
  /** The sizes of the answer as it went out; null when the request was refused. */
  readonly surface: ToolSurface | null;
  /** The host's window, raw; it is hashed by the daemon and kept nowhere. */
  readonly window: string | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Monotonic. */
  readonly durationMs: number;
  readonly handedAtMs: number;
}

interface OpenList {
  readonly window: string | null;
  readonly startedAtMs: number;
  readonly started: number;
}

/**
 * Measures answers to `tools/list` where they go out: the SDK adds members to a result
 * after its handler has returned it, and the client reads those too.
 */
export class ListMeter {
  private readonly open = new Map<RequestId, OpenList>();

  constructor(
    private readonly era: Era,
    private readonly onListed: (list: ListedTools) => void,
  ) {}

  begin(id: RequestId, window: string | null): void {
    this.open.set(id, { window, startedAtMs: Date.now(), started: performance.now() });
  }

  /** The same transport, with its answers to lists measured after they were handed over. */
  over(transport: Transport): Transport {
    const send: Transport['send'] = async (message, options) => {
      const list = this.answeredBy(message);
      const endedAtMs = Date.now();
      const ended = performance.now();
      await transport.send(message, options);
      if (list === null) return;
      const { window, startedAtMs, started } = list;
      const times = { startedAtMs, endedAtMs, durationMs: ended - started, handedAtMs: Date.now() };
      this.onListed({ era: this.era, surface: this.surfaceOf(message), window, ...times });
    };
    return new Proxy(transport, {
      get: (target, key) => {
        if (key === 'send') return send;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
      set: (target, key, value) => Reflect.set(target, key, value, target),
    });
  }

  private answeredBy(message: JSONRPCMessage): OpenList | null {
    if ('method' in message || !('id' in message) || message.id === undefined) return null;
    const list = this.open.get(message.id) ?? null;
    this.open.delete(message.id);
    return list;
  }

  private surfaceOf(message: JSONRPCMessage): ToolSurface | null {
    if (!('result' in message) || !('tools' in message.result)) return null;
    const result = message.result as unknown as Parameters<typeof measureToolSurface>[0];
    return measureToolSurface(result, this.era === 'stateless' ? 'stateless_2026' : 'legacy', true);
  }
}
