import { renderResources } from '../../client/render/index.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc ssh list`. */
export default class SshListCommand extends WcCommand {
  static override summary = 'List the hosts that Sessions may work on.';

  async run(): Promise<number> {
    const { flags } = await this.parse(SshListCommand);
    const result = await this.callTool('manage_ssh_resource', { action: 'list' }, { repeatable: true });
    return this.finish(result, flags.json, renderResources);
  }
}
