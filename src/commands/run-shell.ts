import RunProgramCommand from './framework/run-program-command.js';

/** `wc run-shell COMMAND`: shell text in a process of its own. */
export default class RunShellCommand extends RunProgramCommand {
  static override examples = ["<%= config.bin %> run-shell 'npm ci && npm test'", "cat data.csv | <%= config.bin %> run-shell 'sort | uniq -c'"];
}
