import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Row } from '../row.js';
import { runToEnd } from '../run-to-end.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'wc-bench', version: '0' } },
});

/** What a client waits for before it can list tools. */
export const mcpStart: Row = {
  name: 'mcp-start',
  what: '`wc mcp` from spawn to the first answer, over bare `node -e 0`',
  measure: async ({ wc, daemon }) => {
    const { env } = await daemon();
    const samples = await takeTurns(
      { rounds: 40, warmUp: 5 },
      () => firstAnswer(wc, env),
      () => runToEnd(process.execPath, ['-e', '0']),
    );
    return [{ label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 4 }];
  },
};

/** Starts the shim, resolves at its first answer, and gives back how to wait for its end. */
async function firstAnswer(wc: string, env: NodeJS.ProcessEnv): Promise<() => Promise<unknown>> {
  const shim = spawn(wc, ['mcp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(shim, 'exit');
  shim.stdin.write(`${INITIALIZE}\n`);
  const first = await Promise.race([
    once(shim.stdout, 'data').then(([chunk]: Buffer[]) => String(chunk)),
    ended.then(([code]) => `nothing and ended with ${String(code)}`),
  ]);
  if (!first.includes('"result"')) throw new Error(`wc mcp answered ${first}`);
  return () => {
    shim.stdin.end();
    return ended;
  };
}
