import type { Style } from '../../client/render/index.js';
import { renderWindowActivity } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc window activity`: what the window that `--window` or WC_WINDOW names did lately. */
export default class WindowActivityCommand extends ToolCommand {
  static override tool = 'read-current-window-activity';

  protected override render(output: JsonObject, style: Style): string {
    return renderWindowActivity(output, style);
  }
}
