import { join } from 'node:path';
import { startEchoServer } from '../echo-server.js';
import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';
import { unixHttp } from '../unix-http.js';

/** What the kernel costs: sixteen steps, an evidence pair committed, an audit row. */
export const socketCall: Row = {
  name: 'socket-call',
  what: 'a tool call over the socket with a recorder and an audit row, over a bare Node HTTP echo on a Unix socket',
  measure: async ({ folder, daemon, repository, defer }) => {
    const ours = await daemon();
    const { session } = await beginWork(ours, await repository());
    const echoSocket = join(folder, 'echo.sock');
    const echo = await startEchoServer(echoSocket);
    defer(echo.stop);
    const bare = unixHttp(echoSocket);
    defer(bare.close);
    const body = { arguments: {}, recording_session_id: session };
    const samples = await takeTurns(
      { rounds: 2_000, warmUp: 500 },
      () => ours.call('list_projects', body.arguments, { recording_session_id: session }),
      () => bare.post('/api/tools/list_projects', body),
    );
    return [
      { label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 6 },
    ];
  },
};
