import type { Style } from '../../client/render/index.js';
import { renderCheckpoints } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc checkpoint list`: the newest first. */
export default class CheckpointListCommand extends ToolCommand {
  static override tool = 'list-workspace-checkpoints';

  protected override render(output: JsonObject, style: Style): string {
    return renderCheckpoints(output, style);
  }
}
