import type { Style } from '../../client/render/index.js';
import { renderSessions } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc session list`: one's own Sessions of a project, the last used first. */
export default class SessionListCommand extends ToolCommand {
  static override tool = 'list-sessions';

  protected override render(output: JsonObject, style: Style): string {
    return renderSessions(output, style);
  }
}
