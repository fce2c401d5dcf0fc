import { renderWindows } from '../../client/render/index.js';
import type { ToolResult } from '../../protocol/tool-result.js';
import { operatorRequest } from '../framework/operator-request.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc window list`: the windows that worked here, and what was said to them and by them. */
export default class WindowListCommand extends WcCommand {
  static override summary = 'List the windows that worked here, with the messages between them and you.';

  async run(): Promise<number> {
    const { flags } = await this.parse(WindowListCommand);
    const result = await operatorRequest<ToolResult>(await this.client(), '/api/windows/list', {});
    return this.finish(result, flags.json, (output, style) => renderWindows(output, style));
  }
}
