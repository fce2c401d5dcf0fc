import { constants } from 'node:os';
import { Flags } from './oclif.js';
import type { CallOptions } from '../../client/index.js';
import { ClientError, EXIT } from '../../client/index.js';
import { renderFailure, textOf } from '../../client/render/index.js';
import type { Progress } from '../../protocol/api.js';
import type { JsonObject, ToolResult } from '../../protocol/tool-result.js';
import { actsByToken } from './caller-environment.js';
import { cancelOnInterrupt } from './cancel-on-interrupt.js';
import { CommandFailure } from './command-failure.js';
import { executionExitCode } from './execution-exit.js';
import type { FollowParts, OutputPositions, StreamName } from './follow-job.js';
import { followJob, fromTheStart, showNew } from './follow-job.js';
import { OVERFLOW } from './input-pipe.js';
import { onLostOutput } from './lost-output.js';
import { missingOutput } from './missing-output.js';
import { outputBytes } from './output-bytes.js';
import { pipedInput, tooMuchInput, type PipedInput } from './piped-input.js';
import { terminalTimeoutFlag, withTerminalTimeout } from './terminal-timeout.js';
import ToolCommand, { type ParsedLine } from './tool-command.js';
import { writeThrough } from './write-through.js';

/** How long a Job may take to end after it was told to, in milliseconds. */
const ENDED_WITHIN_MS = 10_000;

/**
 * A command that runs a program in the foreground of a terminal or a CI job: output as it
 * comes, piped input passed on, Ctrl-C ends the whole tree, and work that was handed off
 * to a Job is followed to its end. The exit code is the program's.
 */
export default class RunProgramCommand extends ToolCommand {
  static override endsWithProgram = true;
  static override flags = {
    ...terminalTimeoutFlag,
    'no-stdin': Flags.boolean({ char: 'n', summary: 'Do not read standard input; the program gets an empty one.' }),
  };

  override async run(): Promise<number> {
    const line = await this.parseLine();
    const input = await this.inputOf(line);
    try {
      return await (line.flags['json'] === true ? this.runForScript(line, input) : this.runForPerson(line, input));
    } finally {
      if (input !== null && 'pipe' in input) await input.pipe.close();
    }
  }

  protected override async parseLine(): Promise<ParsedLine> {
    return withTerminalTimeout(await super.parseLine());
  }

  /** What is piped in, where nothing else says what standard input is. */
  private async inputOf({ whole, flags, args }: ParsedLine): Promise<PipedInput | null> {
    return whole || flags['no-stdin'] === true || args['stdin'] !== undefined ? null : pipedInput({ mayStream: !actsByToken(this.env) });
  }

  private async runForPerson(line: ParsedLine, input: PipedInput | null): Promise<number> {
    const reader = new AbortController();
    onLostOutput((lost) => reader.abort(lost));
    const cancel = AbortSignal.any([cancelOnInterrupt(), reader.signal, ...overflowOf(input)]);
    const positions = fromTheStart();
    const result = await this.call(line, input, { signal: cancel, onProgress: (progress) => this.show(progress, positions) });
    this.noteBeside(result.output);
    return this.end(await this.toItsEnd(result, line, positions, cancel), positions, cancel);
  }

  /** One document, which also says when the program goes on as a Job; nobody follows it then. */
  private async runForScript(line: ParsedLine, input: PipedInput | null): Promise<number> {
    const cancel = AbortSignal.any([cancelOnInterrupt(), ...overflowOf(input)]);
    const result = await this.call(line, input, { signal: cancel });
    if (cancel.reason === OVERFLOW) throw tooMuchInput('and the program was ended');
    return this.conclude(result, line);
  }

  private async call(line: ParsedLine, input: PipedInput | null, options: CallOptions): Promise<ToolResult> {
    const text = input !== null && 'text' in input ? { stdin: input.text } : {};
    const pipe = input !== null && 'pipe' in input ? { stdin_pipe: input.pipe.path } : {};
    const call = { ...options, ...this.besides(line), body: { ...this.environmentOf(line).body, ...pipe } };
    try {
      return await this.callTool(line.tool.name, { ...line.args, ...text }, call);
    } catch (error) {
      if (!(error instanceof ClientError) || error.kind !== 'connection_lost') throw error;
      // What was started lives on without the daemon, which is more than the client can know.
      throw new CommandFailure('The daemon ended before it answered.', EXIT.ownFailure, "If the program was started, it goes on as a Job: 'wc job list' shows it.");
    }
  }

  private async show(progress: Progress, positions: OutputPositions): Promise<void> {
    if ('message' in progress) {
      this.note(progress.message);
      return;
    }
    const bytes = outputBytes(progress);
    positions[progress.stream].pass(bytes);
    await this.write(progress.stream, bytes);
  }

  private write(stream: StreamName, bytes: Buffer): Promise<void> {
    return writeThrough(stream === 'stdout' ? process.stdout : process.stderr, bytes);
  }

  /** The end of the program: the result's own, or that of the Job it became. */
  private async toItsEnd(result: ToolResult, line: ParsedLine, positions: OutputPositions, cancel: AbortSignal): Promise<ToolResult> {
    const parts = {
      observe: (tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal) =>
        this.callTool(tool, args, { repeatable: true, ...(signal ? { signal } : {}) }),
      write: (stream: StreamName, bytes: Buffer) => this.write(stream, bytes),
      readsOn: true,
      streams: ['stdout', 'stderr'] as const,
    };
    const jobId = result.success && result.output['terminal'] === false ? result.output['job_id'] : null;
    if (typeof jobId !== 'string') {
      if (!cancel.aborted) await showUnseen(parts, result.output, positions);
      return result;
    }
    const ended = await followJob({ ...parts, signal: cancel }, jobId, positions);
    if (ended !== null) return ended;
    const stopped = await this.callTool('stop_job', { project: line.args['project'], job_id: jobId, confirm: true });
    if (!stopped.success) this.note(renderFailure(stopped, this.errStyle));
    const end = stopped.success ? await followJob({ ...parts, signal: AbortSignal.timeout(ENDED_WITHIN_MS) }, jobId, positions) : null;
    if (end === null) this.note(`wc: Job ${jobId} may still run: \`wc job show ${jobId}\`, \`wc job stop ${jobId}\`.`);
    return end ?? result;
  }

  /** Says how it ended, where the exit code alone does not, and gives that exit code. */
  private end(result: ToolResult, positions: OutputPositions, cancel: AbortSignal): number {
    const { output } = result;
    if (cancel.reason === OVERFLOW) throw tooMuchInput('and the program was ended');
    if (cancel.reason instanceof CommandFailure) throw cancel.reason;
    if (cancel.aborted) return EXIT.signalBase + constants.signals[cancel.reason as NodeJS.Signals];
    const said = remark(output);
    if (said !== null) this.note(`wc: ${said}`);
    else if (!result.success && output['execution_state'] !== 'completed') this.note(renderFailure(result, this.errStyle));
    if (typeof output['descendants_note'] === 'string') this.note(`wc: ${output['descendants_note']}.`);
    // A Job that was lost with its Runner has said so above.
    if (output['output_incomplete'] === true && output['execution_state'] !== 'outcome_unknown') this.note('wc: some output may be missing: a process out of reach still held it open.');
    const missing = missingOutput(output, positions);
    if (missing === null) return executionExitCode(result);
    // Whoever reads this output must not take it for the whole.
    this.note(`wc: ${missing}`);
    return EXIT.ownFailure;
  }
}

/**
 * Live output ends with the call, and may lag behind it; the whole output is in the
 * Runner's keeping, so what was not seen of it is read from there.
 */
async function showUnseen(parts: Omit<FollowParts, 'signal'>, output: JsonObject, positions: OutputPositions): Promise<void> {
  const outputId = output['output_id'];
  if (typeof outputId !== 'string') return;
  for (const stream of parts.streams) {
    const total = output[`${stream}_bytes`];
    if (typeof total === 'number' && positions[stream].bytes < total) await showNew(parts, { output_id: outputId }, stream, positions[stream]);
  }
}

function overflowOf(input: PipedInput | null): readonly AbortSignal[] {
  return input !== null && 'pipe' in input ? [input.pipe.overflow] : [];
}

function remark(output: JsonObject): string | null {
  if (output['status'] === 'lost') return 'the program was lost with its Runner, and how it ended is not known: look at what it did before you repeat it.';
  if (output['execution_state'] === 'timed_out') return `the program was ended after ${textOf(output, 'effective_timeout_secs')} s, its time-out.`;
  if (typeof output['signal'] === 'string' && output['execution_state'] === 'completed') return `the program was ended by ${output['signal']}.`;
  return null;
}
