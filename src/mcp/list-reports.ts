import { setTimeout as delay } from 'node:timers/promises';
import type { DaemonClient } from '../client/index.js';
import { TOOLS_LISTED_ROUTE, type ToolsListed } from '../protocol/audit.js';
import type { Era } from './forward.js';
import type { ListedTools } from './listed-tools.js';

/** Lists that wait for a daemon at most; a client that lists more without a call is a probe. */
const MAX_WAITING = 16;
/** How long the end of the shim waits for its last reports. */
const LAST_TRY_MS = 500;

/**
 * Tells the daemon of lists that were answered here, after they were. Listing starts no
 * daemon: where none runs, a report waits for the first call, which does; what then still
 * waits when the client leaves is lost, as an audit row may be.
 */
export class ListReports {
  private waiting: ListedTools[] = [];
  private sending: Promise<void> | null = null;

  constructor(private readonly clients: Readonly<Record<Era, Pick<DaemonClient, 'find' | 'request'>>>) {}

  add(list: ListedTools): void {
    if (this.waiting.length < MAX_WAITING) this.waiting.push(list);
    void this.send();
  }

  /** A call was made, so that there may be a daemon now. */
  daemonMayRun(): void {
    if (this.waiting.length > 0) void this.send();
  }

  async lastTry(): Promise<void> {
    if (this.waiting.length > 0) await Promise.race([this.send(), delay(LAST_TRY_MS)]);
  }

  private send(): Promise<void> {
    this.sending ??= this.sendWaiting()
      // Nobody waits for a report, and the next call brings another try.
      .catch(() => undefined)
      .finally(() => (this.sending = null));
    return this.sending;
  }

  private async sendWaiting(): Promise<void> {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const client = this.clients[next.era];
      if ((await client.find()) === null) return;
      await client.request('POST', TOOLS_LISTED_ROUTE, reportOf(next));
      this.waiting.shift();
    }
  }
}

function reportOf({ surface, window, startedAtMs, endedAtMs, durationMs, handedAtMs, era }: ListedTools): ToolsListed {
  return {
    protocol_era: era === 'stateless' ? 'stateless_2026' : 'legacy',
    tool_surface: surface,
    window,
    started_at_ms: startedAtMs,
    ended_at_ms: endedAtMs,
    duration_ms: Math.trunc(durationMs),
    handed_at_ms: handedAtMs,
  };
}
