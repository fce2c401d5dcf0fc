import RunProgramCommand from './framework/run-program-command.js';

/** `wc run-process -- PROGRAM ARGUMENT…`: one program, its words taken literally. */
export default class RunProcessCommand extends RunProgramCommand {
  static override examples = ['<%= config.bin %> run-process -- npm test', '<%= config.bin %> run-process --purpose test --cwd packages/core -- node --test'];
}
