import { textOf } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc session close [SESSION]`: for good; what it recorded stays readable while it is retained. */
export default class SessionCloseCommand extends ToolCommand {
  static override tool = 'close-session';

  protected override render(output: JsonObject): string {
    return `Session ${textOf(output, 'session_id')} ${output['already_closed'] === true ? 'was closed before' : 'is closed'}.`;
  }
}
