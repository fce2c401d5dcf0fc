import { constants } from 'node:os';
import { EXIT } from '../../client/index.js';
import { renderFailure, shellQuote, textOf } from '../../client/render/index.js';
import type { Progress } from '../../protocol/api.js';
import type { ToolResult } from '../../protocol/tool-result.js';
import { cancelOnInterrupt } from '../framework/cancel-on-interrupt.js';
import { executionExitCode } from '../framework/execution-exit.js';
import { fillShell } from '../framework/fill-shell.js';
import { CommandFailure } from '../framework/command-failure.js';
import { onLostOutput } from '../framework/lost-output.js';
import { outputBytes } from '../framework/output-bytes.js';
import { terminalTimeoutFlag, withTerminalTimeout } from '../framework/terminal-timeout.js';
import ToolCommand, { type ParsedLine } from '../framework/tool-command.js';
import { writeThrough } from '../framework/write-through.js';

/**
 * `wc shell exec`: one command in an open shell, with its output as it comes. Ctrl-C
 * interrupts the command; the exit code is the command's.
 */
export default class ShellExecCommand extends ToolCommand {
  static override tool = 'execute-session-shell';
  static override endsWithProgram = true;
  static override flags = terminalTimeoutFlag;
  static override usage = 'shell exec [FLAGS] COMMAND|-- WORD…';
  static override examples = ["<%= config.bin %> shell exec 'cd build && cmake ..'", '<%= config.bin %> shell exec -- make -j8 test'];

  override async run(): Promise<number> {
    const line = await this.parseLine();
    const person = line.flags['json'] !== true;
    const reader = new AbortController();
    if (person) onLostOutput((lost) => reader.abort(lost));
    const cancel = AbortSignal.any([cancelOnInterrupt(), reader.signal]);
    const result = await this.callTool(line.tool.name, line.args, {
      ...this.besides(line),
      signal: cancel,
      ...(person ? { onProgress: (progress: Progress) => this.write(progress) } : {}),
    });
    if (person) {
      this.noteBeside(result.output);
      this.remark(result);
    } else this.print(JSON.stringify(result));
    if (cancel.reason instanceof CommandFailure) throw cancel.reason;
    if (cancel.aborted) return EXIT.signalBase + constants.signals[cancel.reason as NodeJS.Signals];
    return exitCode(result);
  }

  protected override async parseLine(): Promise<ParsedLine> {
    this.argv = withOneCommand(this.argv);
    return withTerminalTimeout(await super.parseLine());
  }

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    return fillShell(args, this.env);
  }

  private async write(progress: Progress): Promise<void> {
    if ('message' in progress) this.note(progress.message);
    else await writeThrough(progress.stream === 'stdout' ? process.stdout : process.stderr, outputBytes(progress));
  }

  /** Says how the command ended, where its exit code alone does not, and when its shell is over. */
  private remark(result: ToolResult): void {
    const { output } = result;
    const isOver = output['shell_state'] !== undefined && output['shell_state'] !== 'running';
    if (!result.success && output['execution_state'] !== 'completed') this.note(renderFailure(result, this.errStyle));
    else if (isOver) this.note(`wc: the shell is over: ${textOf(output, 'close_reason').replaceAll('_', ' ')}.`);
    else if (output['execution_state'] === 'running') this.note('wc: the command goes on in its shell; `wc shell status` tells its end.');
  }
}

/** What stands behind `--`: a single word is shell text as it stands, several are a command and its literal arguments. */
function withOneCommand(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const words = end === -1 ? [] : argv.slice(end + 1);
  return words.length < 2 ? [...argv] : [...argv.slice(0, end), '--', words.map(shellQuote).join(' ')];
}

/** A command that ended has its own code, whatever became of its shell. */
function exitCode(result: ToolResult): number {
  const { execution_state: state, exit_code: code } = result.output;
  return state === 'completed' && typeof code === 'number' && code >= 0 ? code : executionExitCode(result);
}
