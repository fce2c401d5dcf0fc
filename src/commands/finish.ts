import type { Style } from '../client/render/index.js';
import { renderCloseout } from '../client/render/index.js';
import type { JsonObject } from '../protocol/tool-result.js';
import ToolCommand from './framework/tool-command.js';

/** `wc finish [SESSION]`: the report on a task. Closes nothing. */
export default class FinishCommand extends ToolCommand {
  static override tool = 'finish-coding-task';

  protected override render(output: JsonObject, style: Style): string {
    return renderCloseout(output, style);
  }
}
