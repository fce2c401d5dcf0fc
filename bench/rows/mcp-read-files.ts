import { join } from 'node:path';
import { startMcpSession } from '../mcp-session.js';
import { installPeer, type Peer } from '../peer.js';
import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

const FILESYSTEM_SERVER: Peer = { name: '@modelcontextprotocol/server-filesystem', version: '2026.8.31' };

/** Reading a file through `wc mcp`, recorded and audited, over the reference server that does neither. */
export const mcpReadFiles: Row = {
  name: 'mcp-read-files',
  what: "`read_files` over `wc mcp`, over the reference MCP filesystem server's `read_text_file`",
  measure: async ({ wc, cache, daemon, repository, defer }) => {
    const ours = await daemon();
    const path = await repository();
    const { project, session } = await beginWork(ours, path);
    const shim = await startMcpSession(wc, ['mcp'], ours.env);
    defer(shim.close);
    const peer = await startMcpSession(process.execPath, [await installPeer(cache, FILESYSTEM_SERVER), path], process.env);
    defer(peer.close);
    const samples = await takeTurns(
      { rounds: 300, warmUp: 50 },
      () => shim.call('read_files', { project, session_id: session, items: [{ path: 'src/values.ts' }] }),
      () => peer.call('read_text_file', { path: join(path, 'src', 'values.ts') }),
    );
    return [{ label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 2 }];
  },
};
