import type { Health } from '../../protocol/api.js';
import type { Style } from '../../client/render/index.js';
import { factLines } from '../../client/render/index.js';

/** What `wc daemon status --json` prints: a stable shape for scripts. */
export interface DaemonStatus {
  readonly running: boolean;
  readonly pid: number | null;
  readonly version: string | null;
  readonly socket: string | null;
  readonly started_at: string | null;
  readonly runner: { readonly pid: number; readonly instance_id: string } | null;
}

/** The status of the daemon that answered, or of none. */
export function daemonStatus(health: Health | null, socket: string | null): DaemonStatus {
  const runner = health?.runner ?? null;
  return {
    running: health !== null,
    pid: health?.pid ?? null,
    version: health?.version ?? null,
    socket,
    started_at: health?.started_at ?? null,
    runner: runner === null ? null : { pid: runner.pid, instance_id: runner.instance_id },
  };
}

/** The same for people. */
export function renderStatus(status: DaemonStatus, style: Style): string {
  if (!status.running) return 'No daemon runs.';
  return factLines(
    [
      ['daemon', `${style.good('running')}, pid ${status.pid ?? '-'}`],
      ['version', status.version],
      ['since', status.started_at],
      ['socket', status.socket],
      ['runner', status.runner === null ? 'none connected' : `pid ${status.runner.pid} (${status.runner.instance_id})`],
    ],
    style,
  );
}
