import type { Progress } from '../../protocol/api.js';
import { renderValue } from '../../client/render/index.js';
import { callerEnvironment } from './caller-environment.js';
import { cancelOnInterrupt } from './cancel-on-interrupt.js';
import { executionExitCode } from './execution-exit.js';
import { fillSelectors } from './fill-selectors.js';
import { toolOfCommand } from './load-catalog.js';
import { readInput } from './read-input.js';
import { requireInputs, toolArguments } from './tool-arguments.js';
import { oclifArgs, oclifFlags } from './tool-flags.js';
import { indexTool } from './tool-index.js';
import { WcCommand } from './wc-command.js';

/**
 * The command of any tool, made from its catalog entry: the manifest leads every tool
 * without a command of its own here, and the command's id says which tool is meant.
 */
export default class ToolCommand extends WcCommand {
  async run(): Promise<number> {
    const tool = toolOfCommand(this.id ?? '');
    const facts = indexTool(tool);
    const end = this.argv.indexOf('--');
    const { flags, argv } = await this.parse(
      { flags: oclifFlags(tool), args: oclifArgs(tool), strict: false },
      end === -1 ? this.argv : this.argv.slice(0, end),
    );
    const typed = toolArguments(tool, {
      flags,
      words: argv as string[],
      program: end === -1 ? null : this.argv.slice(end + 1),
    });
    const selectors = this.selectors({ session: flags['session'], project: flags['project'], record: flags['record'] });
    const input = flags['input'] as string | undefined;
    const args = fillSelectors(facts, { ...(input === undefined ? {} : readInput(input)), ...typed }, selectors);
    if (input === undefined) requireInputs(tool, args);
    const result = await this.callTool(tool.name, args, {
      record: selectors.record,
      repeatable: facts.observes,
      signal: cancelOnInterrupt(),
      ...(flags['progress'] ? { onProgress: showProgress } : {}),
      ...(facts.runs && flags['env'] !== false ? { body: { environment: callerEnvironment(this.env) } } : {}),
    });
    const code = this.finish(result, flags['json'] === true, renderValue);
    return facts.ends ? executionExitCode(result) : code;
  }
}

function showProgress(progress: Progress): void {
  process.stderr.write('text' in progress ? progress.text : `${progress.message}\n`);
}
