import { EXIT } from '../../client/index.js';
import type { ListedConfig } from '../../client/mcp-clients/index.js';
import { CLIENT_IDS, clientOf, listConfigs } from '../../client/mcp-clients/index.js';
import { textTable } from '../../client/render/index.js';
import { McpClientCommand, nameFlag } from '../framework/mcp-client-command.js';
import { Args } from '../framework/oclif.js';

/** `wc mcp list [CLIENT]`: exit code 1 where a configuration can not be read. */
export default class McpListCommand extends McpClientCommand {
  static override summary = 'Show which MCP clients have wc, and in which file.';
  static override args = { client: Args.string({ description: 'The MCP client; else all of them.', options: [...CLIENT_IDS] }) };
  static override flags = nameFlag;

  async run(): Promise<number> {
    const { args, flags } = await this.parse(McpListCommand);
    return this.orRefuse(async () => {
      const only = args.client === undefined ? undefined : [clientOf(args.client as Parameters<typeof clientOf>[0])];
      const configs = await listConfigs(flags.name, this.places(), only);
      this.print(flags.json ? JSON.stringify({ configs }) : this.table(configs));
      for (const { problem } of configs) if (problem !== null && !flags.json) this.note(`wc: ${problem}`);
      return configs.some(({ state }) => state === 'unreadable') ? EXIT.refused : EXIT.success;
    });
  }

  private table(configs: readonly ListedConfig[]): string {
    const style = this.outStyle;
    return textTable(
      configs,
      [
        { title: 'client', value: ({ client }) => client },
        { title: 'for', value: ({ scope }) => scope },
        { title: 'wc', value: stateText, paint: (text, { state }) => (state === 'installed' ? style.good(text) : state === 'absent' ? style.dim(text) : style.warn(text)) },
        { title: 'file', value: ({ file }) => file },
      ],
      style,
    );
  }
}

function stateText({ state, present }: ListedConfig): string {
  if (state === 'absent') return present ? 'not installed' : 'not installed, client not seen';
  return state === 'other' ? 'another server of this name' : state;
}
