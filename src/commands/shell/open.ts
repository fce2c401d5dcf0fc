import type { JsonObject } from '../../protocol/tool-result.js';
import { textOf } from '../../client/render/index.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc shell open`: prints the new shell's id and nothing else, for `WC_SHELL`. */
export default class ShellOpenCommand extends ToolCommand {
  static override tool = 'open-session-shell';
  static override examples = ['export WC_SHELL=$(<%= config.bin %> shell open)'];

  protected override render(output: JsonObject): string {
    return textOf(output, 'shell_id');
  }
}
