import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { connect } from '../client/index.js';
import { readCatalog } from './catalog-file.js';
import { daemonForward } from './daemon-forward.js';
import { ListReports } from './list-reports.js';
import type { Forward } from './forward.js';
import type { ListedTools } from './listed-tools.js';
import { mcpServers } from './server.js';
import { StdioTransport } from './stdio-transport.js';
import { readTextCopy } from './text-copy.js';

/**
 * `wc mcp`: the stdio server. It starts without a daemon, so that a probe costs next to
 * nothing; the first call makes sure of one. It ends with its client, always.
 */
export async function runMcp(): Promise<void> {
  const transport = new StdioTransport(process.stdin, process.stdout);
  const notice = (line: string): void => void process.stderr.write(`wc mcp: ${line}\n`);
  const [legacy, stateless] = await Promise.all(
    (['mcp_legacy', 'mcp_2026'] as const).map((adapter) => connect({ adapter, eager: false, onNotice: notice })),
  );
  if (legacy === undefined || stateless === undefined) throw new Error('there are two eras');
  const catalog = readCatalog();
  const serverFor = mcpServers({
    catalog,
    textCopy: readTextCopy(legacy.stateFolder),
    onFault: (error) => notice(error instanceof Error ? error.message : String(error)),
  });
  const reports = new ListReports({ legacy, stateless });
  const toDaemon = daemonForward({ clients: { legacy, stateless }, catalog, clientIsGone: () => transport.ended });
  const forward: Forward = async (call) => {
    try {
      return await toDaemon(call);
    } finally {
      reports.daemonMayRun();
    }
  };
  const gone = new Promise<void>((resolve) => {
    process.stdin.on('end', resolve);
    process.stdin.on('close', resolve);
    process.stdout.on('error', () => resolve());
    // Who does not read the notices gets the answers all the same.
    process.stderr.removeAllListeners('error');
    process.stderr.on('error', () => undefined);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  const onListed = (list: ListedTools): void => reports.add(list);
  serveStdio(({ era }) => serverFor(era === 'modern' ? 'stateless' : 'legacy', forward, onListed), {
    transport,
    onerror: (error) => notice(error.message),
  });
  await gone;
  await transport.close();
  await reports.lastTry();
  // Open calls hold sockets; the daemon sees them close and keeps the work as Jobs.
  process.exit(0);
}
