import { Flags } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import { statePaths } from '../../protocol/state-folder.js';
import { cancelOnInterrupt } from '../framework/cancel-on-interrupt.js';
import { addedLines, lastLines } from '../framework/follow-file.js';
import { renderLogLine } from '../framework/log-line.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc daemon logs`: reads the file itself, so that it also serves when no daemon answers. */
export default class DaemonLogsCommand extends WcCommand {
  static override summary = 'Show the daemon\'s log.';
  static override flags = {
    lines: Flags.integer({ char: 'n', summary: 'How many lines from the end.', default: 50, min: 0, max: 100_000 }),
    follow: Flags.boolean({ char: 'f', summary: 'Go on with what is added, until Ctrl-C.' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(DaemonLogsCommand);
    const { log } = statePaths((await this.client()).stateFolder);
    const show = (line: string): void => this.print(flags.json ? line : renderLogLine(line, this.outStyle));
    const { lines, offset } = await lastLines(log, flags.lines);
    lines.forEach(show);
    if (flags.follow) for await (const line of addedLines(log, offset, cancelOnInterrupt())) show(line);
    return EXIT.success;
  }
}
