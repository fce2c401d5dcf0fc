import { textOf } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc checkpoint delete CHECKPOINT`. Nothing else keeps what it holds, so that `--confirm` must be typed. */
export default class CheckpointDeleteCommand extends ToolCommand {
  static override tool = 'delete-workspace-checkpoint';

  protected override render(output: JsonObject): string {
    return `Deleted ${textOf(output, 'checkpoint_id')}.`;
  }
}
