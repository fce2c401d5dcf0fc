import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../client/index.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc daemon run`: the daemon in this process and this terminal, for service managers and for looking on. */
export default class DaemonRunCommand extends WcCommand {
  static override summary = 'Run the daemon in the foreground, its log on standard error.';

  async run(): Promise<number> {
    await this.parse(DaemonRunCommand);
    const { stateFolder } = await this.client();
    const entry = join(packageRoot(), 'dist', 'daemon', 'main.js');
    process.argv.splice(1, process.argv.length, entry, '--state-folder', stateFolder);
    // By name, since a client knows nothing of the daemon's code.
    await import(pathToFileURL(entry).href);
    // From here on the process is the daemon's; it ends it by itself.
    return new Promise<never>(() => undefined);
  }
}
