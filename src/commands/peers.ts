import { renderPeers } from '../client/render/index.js';
import type { ToolResult } from '../protocol/tool-result.js';
import { operatorRequest } from './framework/operator-request.js';
import { WcCommand } from './framework/wc-command.js';

/** `wc peers`: the windows that can be written to, and where each worked last. */
export default class PeersCommand extends WcCommand {
  static override summary = 'List the windows that worked here lately, as their peers know them.';

  async run(): Promise<number> {
    const { flags } = await this.parse(PeersCommand);
    const result = await operatorRequest<ToolResult>(await this.client(), '/api/windows/list', {});
    return this.finish(result, flags.json, (output, style) => renderPeers(output, style));
  }
}
