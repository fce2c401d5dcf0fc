import type { Style } from '../../client/render/index.js';
import { renderCheckpoint } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc checkpoint create`: keeps what differs from HEAD. */
export default class CheckpointCreateCommand extends ToolCommand {
  static override tool = 'create-workspace-checkpoint';

  protected override render(output: JsonObject, style: Style): string {
    return renderCheckpoint(output, style);
  }
}
