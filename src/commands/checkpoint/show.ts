import type { Style } from '../../client/render/index.js';
import { renderCheckpoint } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc checkpoint show CHECKPOINT`: which paths it keeps, with the sums of its diffs. */
export default class CheckpointShowCommand extends ToolCommand {
  static override tool = 'read-workspace-checkpoint';

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    return { include_diff_stat: true, ...args };
  }

  protected override render(output: JsonObject, style: Style): string {
    return renderCheckpoint(output, style);
  }
}
