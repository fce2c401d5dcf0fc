import { EXIT } from '../../client/index.js';
import { daemonStatus, renderStatus } from '../framework/daemon-status.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc daemon status`: exit code 0 when a daemon runs and answers, 3 otherwise. */
export default class DaemonStatusCommand extends WcCommand {
  static override summary = 'Say whether a daemon runs; starts none.';

  async run(): Promise<number> {
    const { flags } = await this.parse(DaemonStatusCommand);
    const client = await this.client();
    const status = daemonStatus(await client.find(), client.socket);
    this.print(flags.json ? JSON.stringify(status) : renderStatus(status, this.outStyle));
    return status.running ? EXIT.success : EXIT.noDaemon;
  }
}
