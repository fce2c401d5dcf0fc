import type { Style } from '../../client/render/index.js';
import { renderFailure, renderValidation, renderValue } from '../../client/render/index.js';
import type { Progress } from '../../protocol/api.js';
import type { JsonObject, ToolResult } from '../../protocol/tool-result.js';
import { callerEnvironment } from './caller-environment.js';
import { cancelOnInterrupt } from './cancel-on-interrupt.js';
import { envelopeOf } from './envelope-flags.js';
import { executionExitCode } from './execution-exit.js';
import { fillSelectors } from './fill-selectors.js';
import { readInput } from './read-input.js';
import type { CommandTool } from './read-tool.js';
import { readTool } from './read-tool.js';
import { requireInputs, toolArguments } from './tool-arguments.js';
import { oclifArgs, oclifFlags, toolFlags } from './tool-flags.js';
import { indexTool } from './tool-index.js';
import { WcCommand, type ToolCallOptions } from './wc-command.js';

/** What a command line came to, before the call is made. */
export interface ParsedLine {
  readonly tool: CommandTool;
  readonly args: Record<string, unknown>;
  readonly flags: Readonly<Record<string, unknown>>;
  /** Whether `--input` gave the arguments, which then stand as they are. */
  readonly whole: boolean;
}

/** Words that a command took for itself, as arguments, and those that are left. */
export interface TakenWords {
  readonly words: readonly string[];
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * The command of any tool, made from its catalog entry: the manifest leads every tool
 * without a command of its own here, and the command's id says which tool is meant.
 * A command that people type often extends it: another name, another rendering.
 */
export default class ToolCommand extends WcCommand {
  /** The tool's own command, where this one has another name. */
  static tool: string | undefined;

  async run(): Promise<number> {
    const line = await this.parseLine();
    const result = await this.callTool(line.tool.name, line.args, {
      ...this.besides(line),
      repeatable: line.tool.effect === 'observe',
      // A read that nobody waits for ends by itself; anything else is cancelled by its name.
      ...(line.tool.effect === 'observe' ? {} : { signal: cancelOnInterrupt() }),
      ...(line.flags['progress'] === true ? { onProgress: (progress: Progress) => this.showProgress(progress) } : {}),
      ...this.environmentOf(line),
    });
    return this.conclude(result, line);
  }

  /** Arguments beyond what was typed: what a person means without saying it. */
  protected complete(args: Record<string, unknown>): Record<string, unknown> | Promise<Record<string, unknown>> {
    return args;
  }

  /** Words that mean something else than an input as it stands. */
  protected takeWords(words: readonly string[], _flags: Readonly<Record<string, unknown>>): TakenWords {
    return { words, args: {} };
  }

  /** What the call reports while it runs. */
  protected showProgress(progress: Progress): void {
    process.stderr.write('text' in progress ? progress.text : `${progress.message}\n`);
  }

  /** A success, for people. */
  protected render(output: JsonObject, style: Style): string {
    return renderValue(output, style);
  }

  /** What the line brings beside the arguments: recorder, envelope and window. */
  protected besides({ tool, flags }: ParsedLine): Pick<ToolCallOptions, 'record' | 'envelope' | 'window'> {
    const own = new Set(toolFlags(tool).map(({ flag }) => flag));
    return {
      record: flags['record'] as string | undefined,
      envelope: envelopeOf(flags, own),
      ...(own.has('window') || flags['window'] === undefined ? {} : { window: flags['window'] as string }),
    };
  }

  protected async parseLine(): Promise<ParsedLine> {
    const typedName = this.id ?? '';
    // Hints name the command that was typed, which may not be the tool's own.
    const tool = { ...readTool((this.ctor as typeof ToolCommand).tool ?? typedName), command: typedName.replaceAll(':', ' ') };
    const end = this.argv.indexOf('--');
    const [own, program] = end === -1 ? [this.argv, null] : [this.argv.slice(0, end), this.argv.slice(end + 1)];
    const { flags, argv } = await this.parse(
      { flags: { ...oclifFlags(tool), ...this.ctor.flags }, args: oclifArgs(tool), strict: false },
      own,
    );
    const taken = this.takeWords(argv as string[], flags);
    const typed = { ...taken.args, ...toolArguments(tool, { flags, words: taken.words, program }) };
    const input = flags['input'] as string | undefined;
    const given = { ...(input === undefined ? {} : readInput(input)), ...typed };
    const filled = fillSelectors(indexTool(tool), given, { session: flags['session'] as string | undefined, project: flags['project'] as string | undefined }, this.variables);
    if (input !== undefined) return { tool, args: filled, flags, whole: true };
    const args = await this.complete(filled);
    if (tool.project === 'required' && args['project'] === undefined) args['project'] = await this.projectHere();
    requireInputs(tool, args);
    return { tool, args, flags, whole: false };
  }

  /** The part of the body that takes the caller's environment along, for tools that run a program. */
  protected environmentOf({ tool, flags }: ParsedLine): { body?: { environment?: Record<string, string> } } {
    return indexTool(tool).runs && flags['env'] !== false ? { body: callerEnvironment(this.env) } : {};
  }

  protected conclude(result: ToolResult, { tool, flags }: ParsedLine): number {
    // What a validator found reads alike whichever tool of them ran, and in its failures too.
    const found = flags['json'] === true || !('validation_target_id' in result.output) ? null : renderValidation(result.output, this.outStyle);
    if (found !== null) {
      this.noteBeside(result.output);
      this.print(found);
      if (!result.success) this.note(renderFailure(result, this.errStyle));
      return executionExitCode(result);
    }
    const code = this.finish(result, flags['json'] === true, (output, style) => this.render(output, style));
    return indexTool(tool).ends ? executionExitCode(result) : code;
  }
}
