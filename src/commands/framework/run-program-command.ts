import { constants } from 'node:os';
import { Flags } from './oclif.js';
import { EXIT } from '../../client/index.js';
import { renderFailure, textOf } from '../../client/render/index.js';
import type { Progress } from '../../protocol/api.js';
import { MAX_TIMEOUT_SECS } from '../../protocol/execution-limits.js';
import type { JsonObject, ToolResult } from '../../protocol/tool-result.js';
import { cancelOnInterrupt } from './cancel-on-interrupt.js';
import { executionExitCode } from './execution-exit.js';
import type { FollowParts, OutputPositions, StreamName } from './follow-job.js';
import { followJob, fromTheStart, showNew } from './follow-job.js';
import { pipedInput } from './piped-input.js';
import ToolCommand, { type ParsedLine } from './tool-command.js';
import { onBrokenPipe, writeThrough } from './write-through.js';

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
    'no-stdin': Flags.boolean({ summary: 'Do not read standard input.' }),
  };

  override async run(): Promise<number> {
    const line = await this.parseLine();
    if (line.flags['json'] === true) return this.runForScript(line);
    const pipe = new AbortController();
    onBrokenPipe(() => pipe.abort('SIGPIPE'));
    const cancel = AbortSignal.any([cancelOnInterrupt(), pipe.signal]);
    const positions = fromTheStart();
    const result = await this.callTool(line.tool.name, line.args, {
      record: line.flags['record'] as string | undefined,
      signal: cancel,
      onProgress: (progress) => this.show(progress, positions),
      ...this.environmentOf(line),
    });
    return this.end(await this.toItsEnd(result, line, positions, cancel), cancel);
  }

  protected override async parseLine(): Promise<ParsedLine> {
    const line = await super.parseLine();
    if (line.whole) return line;
    const stdin = line.args['stdin'] ?? (line.flags['no-stdin'] === true ? undefined : await pipedInput((text) => this.note(text)));
    return { ...line, args: { timeout_secs: MAX_TIMEOUT_SECS, ...line.args, ...(stdin === undefined ? {} : { stdin }) } };
  }

  /** One document, which also says when the program goes on as a Job; nobody follows it then. */
  private async runForScript(line: ParsedLine): Promise<number> {
    const result = await this.callTool(line.tool.name, line.args, {
      record: line.flags['record'] as string | undefined,
      signal: cancelOnInterrupt(),
      ...this.environmentOf(line),
    });
    return this.conclude(result, line);
  }

  private async show(progress: Progress, positions: OutputPositions): Promise<void> {
    if ('message' in progress) {
      this.note(progress.message);
      return;
    }
    positions[progress.stream].pass(progress.text);
    await this.write(progress.stream, progress.text);
  }

  private write(stream: StreamName, text: string): Promise<void> {
    return writeThrough(stream === 'stdout' ? process.stdout : process.stderr, text);
  }

  /** The end of the program: the result's own, or that of the Job it became. */
  private async toItsEnd(result: ToolResult, line: ParsedLine, positions: OutputPositions, cancel: AbortSignal): Promise<ToolResult> {
    const parts = {
      observe: (tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal) =>
        this.callTool(tool, args, { repeatable: true, ...(signal ? { signal } : {}) }),
      write: (stream: StreamName, text: string) => this.write(stream, text),
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
    if (!stopped.success) return stopped;
    return (await followJob({ ...parts, signal: AbortSignal.timeout(ENDED_WITHIN_MS) }, jobId, positions)) ?? result;
  }

  /** Says how it ended, where the exit code alone does not, and gives that exit code. */
  private end(result: ToolResult, cancel: AbortSignal): number {
    const { output } = result;
    if (cancel.aborted) return EXIT.signalBase + constants.signals[cancel.reason as NodeJS.Signals];
    const said = remark(output);
    if (said !== null) this.note(`wc: ${said}`);
    else if (!result.success && output['execution_state'] !== 'completed') this.note(renderFailure(result, this.errStyle));
    if (typeof output['descendants_note'] === 'string') this.note(`wc: ${output['descendants_note']}.`);
    if (output['output_incomplete'] === true) this.note('wc: some output may be missing: a process out of reach still held it open.');
    return executionExitCode(result);
  }
}

/**
 * Live output is a service that may lag behind or leave out; the whole output is in the
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

function remark(output: JsonObject): string | null {
  if (output['execution_state'] === 'timed_out') return `the program was ended after ${textOf(output, 'effective_timeout_secs')} s, its time-out.`;
  if (typeof output['signal'] === 'string' && output['execution_state'] === 'completed') return `the program was ended by ${output['signal']}.`;
  return null;
}
