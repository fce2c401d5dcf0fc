import type { Style } from '../../client/render/index.js';
import { renderSession } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc session show [SESSION]`: a Session's state and its newest events. */
export default class SessionShowCommand extends ToolCommand {
  static override tool = 'read-session-summary';

  protected override render(output: JsonObject, style: Style): string {
    return renderSession(output, style);
  }
}
