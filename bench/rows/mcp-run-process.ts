import { startMcpSession } from '../mcp-session.js';
import { installPeer, type Peer } from '../peer.js';
import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

const DESKTOP_COMMANDER: Peer = { name: '@wonderwhy-er/desktop-commander', version: '0.2.52' };

/** Running a program through `wc mcp` over the most used MCP server that runs programs. */
export const mcpRunProcess: Row = {
  name: 'mcp-run-process',
  what: "`run_process true` over `wc mcp`, over Desktop Commander's `start_process`",
  measure: async ({ wc, cache, folder, daemon, repository, defer }) => {
    const ours = await daemon();
    const { project, session } = await beginWork(ours, await repository());
    const shim = await startMcpSession(wc, ['mcp'], ours.env);
    defer(shim.close);
    // The peer keeps its settings in HOME, so it gets one of its own; its telemetry would only slow it down.
    const peerEnv = { ...process.env, HOME: folder, DESKTOP_COMMANDER_DISABLE_TELEMETRY: '1' };
    const peer = await startMcpSession(process.execPath, [await installPeer(cache, DESKTOP_COMMANDER), '--no-onboarding'], peerEnv);
    defer(peer.close);
    const samples = await takeTurns(
      { rounds: 40, warmUp: 5 },
      () => shim.call('run_process', { project, session_id: session, executable: 'true' }),
      () => peer.call('start_process', { command: 'true', timeout_ms: 5_000 }),
    );
    return [
      { label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 0.15 },
    ];
  },
};
