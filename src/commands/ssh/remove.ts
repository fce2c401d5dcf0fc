import { Args } from '../framework/oclif.js';
import { textOf } from '../../client/render/index.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc ssh remove NAME`: what runs there goes on, and nothing new is started. */
export default class SshRemoveCommand extends WcCommand {
  static override summary = 'Remove a host; what runs there goes on to its end.';
  static override args = { name: Args.string({ description: 'What Sessions call it.', required: true }) };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(SshRemoveCommand);
    const result = await this.callTool('manage_ssh_resource', { action: 'remove', name: args.name });
    return this.finish(result, flags.json, (output) => `The resource ${textOf(output, 'name')} is removed.`);
  }
}
