import { Args } from '../framework/oclif.js';
import { renderResource } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import { CommandFailure } from '../framework/command-failure.js';
import { WcCommand } from '../framework/wc-command.js';
import { EXIT } from '../../client/index.js';

/** `wc ssh show NAME`: all that is told of a resource. */
export default class SshShowCommand extends WcCommand {
  static override summary = 'Show a host that Sessions may work on.';
  static override args = { name: Args.string({ description: 'What Sessions call it.', required: true }) };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(SshShowCommand);
    const listed = await this.callTool('manage_ssh_resource', { action: 'list' }, { repeatable: true });
    if (!listed.success) return this.finish(listed, flags.json, () => '');
    const resource = (listed.output['resources'] as readonly JsonObject[]).find(({ name }) => name === args.name);
    if (resource === undefined) throw new CommandFailure(`There is no SSH resource "${args.name}".`, EXIT.refused, "'wc ssh list' shows those that there are.");
    return this.finish({ success: true, output: resource }, flags.json, renderResource);
  }
}
