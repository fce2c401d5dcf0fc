import type { Style } from '../../client/render/index.js';
import { renderRestored } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/**
 * `wc checkpoint restore CHECKPOINT`. Who types it has said that it is meant, and what is
 * replaced is kept; a script that calls the tool says confirm itself.
 */
export default class CheckpointRestoreCommand extends ToolCommand {
  static override tool = 'restore-workspace-checkpoint';

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    return { confirm: true, ...args };
  }

  protected override render(output: JsonObject, style: Style): string {
    return renderRestored(output, style);
  }
}
