import type { Style } from '../client/render/index.js';
import { renderChanges } from '../client/render/index.js';
import type { JsonObject } from '../protocol/tool-result.js';
import ToolCommand from './framework/tool-command.js';

/** `wc changes`: what differs from the last commit in the project's folder. */
export default class ChangesCommand extends ToolCommand {
  static override tool = 'read-workspace-changes';

  protected override render(output: JsonObject, style: Style): string {
    return renderChanges(output, style);
  }
}
