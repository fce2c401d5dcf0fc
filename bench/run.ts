/**
 * Measures the product's budgets: `npm run bench -- [--json] [--only ROW[,ROW…]]`.
 *
 * Each row is measured against a baseline in the same run; the exit code is 1 when a
 * budget is missed or a row fails. Progress goes to stderr, the outcome to stdout.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Row } from './row.js';
import { appendEvent } from './rows/append-event.js';
import { auditRetention } from './rows/audit-retention.js';
import { auditRow } from './rows/audit-row.js';
import { auditStats } from './rows/audit-stats.js';
import { cliHumanPath } from './rows/cli-human-path.js';
import { cliScriptPath } from './rows/cli-script-path.js';
import { daemonStart } from './rows/daemon-start.js';
import { envelope } from './rows/envelope.js';
import { floodedLatency } from './rows/flooded-latency.js';
import { gitStatus } from './rows/git-status.js';
import { handoff } from './rows/handoff.js';
import { ledgerExport } from './rows/ledger-export.js';
import { ledgerImport } from './rows/ledger-import.js';
import { mcpReadFiles } from './rows/mcp-read-files.js';
import { mcpRunProcess } from './rows/mcp-run-process.js';
import { mcpStart } from './rows/mcp-start.js';
import { listing } from './rows/listing.js';
import { readFiles } from './rows/read-files.js';
import { messageWake } from './rows/message-wake.js';
import { runProcess } from './rows/run-process.js';
import { search, searchBesides } from './rows/search.js';
import { sessionSummary } from './rows/session-summary.js';
import { shellCommand } from './rows/shell-command.js';
import { socketCall } from './rows/socket-call.js';
import { sshOneShot } from './rows/ssh-one-shot.js';
import { sshShellCommand } from './rows/ssh-shell-command.js';
import { asTable, isKept, type Outcome } from './table.js';
import { withBench } from './world.js';

const ROWS: readonly Row[] = [
  cliScriptPath,
  cliHumanPath,
  socketCall,
  runProcess,
  shellCommand,
  sshOneShot,
  sshShellCommand,
  appendEvent,
  sessionSummary,
  handoff,
  messageWake,
  envelope,
  daemonStart,
  ledgerExport,
  ledgerImport,
  auditStats,
  auditRow,
  auditRetention,
  floodedLatency,
  gitStatus,
  search,
  searchBesides,
  listing,
  readFiles,
  mcpReadFiles,
  mcpRunProcess,
  mcpStart,
];

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, only: { type: 'string' } } });
const rows = chosenRows(values.only);
const outcomes: Outcome[] = [];
for (const row of rows) {
  console.error(`measuring ${row.name} …`);
  outcomes.push(await measure(row));
}
console.log(values.json ? JSON.stringify({ node: process.version, cpus: cpus().length, rows: outcomes }, null, 2) : asTable(outcomes));
if (!outcomes.every(isKept)) process.exitCode = 1;

function chosenRows(only: string | undefined): readonly Row[] {
  if (only === undefined) return ROWS;
  const names = only.split(',');
  const unknown = names.find((name) => !ROWS.some((row) => row.name === name));
  if (unknown !== undefined) {
    console.error(`there is no row "${unknown}"; the rows are ${ROWS.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return ROWS.filter(({ name }) => names.includes(name));
}

/** One row that cannot be measured does not keep the others from it. */
async function measure({ name, what, measure: run }: Row): Promise<Outcome> {
  try {
    return { name, what, figures: await withBench(run), error: null };
  } catch (error) {
    return { name, what, figures: [], error: error instanceof Error ? error.message : String(error) };
  }
}
