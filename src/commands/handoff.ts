import type { Style } from '../client/render/index.js';
import { renderHandoff } from '../client/render/index.js';
import type { JsonObject } from '../protocol/tool-result.js';
import ToolCommand from './framework/tool-command.js';

/** `wc handoff [SESSION]`: one page from which somebody else takes the task up. */
export default class HandoffCommand extends ToolCommand {
  static override tool = 'read-session-handoff';

  protected override render(output: JsonObject, style: Style): string {
    return renderHandoff(output, style);
  }
}
