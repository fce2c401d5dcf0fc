/**
 * Where `bin/wc` and `bin/webcodex` begin. The build bundles this file alone into
 * `dist/cli/wc.cjs`: a script's call needs nothing else, an MCP client's start the stdio
 * server beside it, and everything that people type the command framework.
 */
import { EXIT } from '../../client/index.js';
import { matchFastCall, readToolIndex, runFastCall } from './fast-path.js';
import { endOnLostOutput } from './lost-output.js';
import { reportError } from './report-error.js';

const folder = import.meta.dirname;

endOnLostOutput({ endsWithProgram: false });

async function main(argv: readonly string[]): Promise<number> {
  if (process.platform === 'win32') {
    process.stderr.write('wc: Windows is not supported; use WSL.\n');
    return EXIT.usage;
  }
  const fast = matchFastCall(argv, readToolIndex(folder));
  if (fast) return runFastCall(fast, process.env);
  if (argv.length === 1 && argv[0] === 'mcp') {
    const { runMcp } = await import('../../mcp/serve-mcp.js');
    await runMcp();
    return EXIT.success;
  }
  const { runCommand } = await import('./run-command.js');
  return runCommand(argv);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = reportError(error, false);
  },
);
