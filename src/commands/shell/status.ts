import { fillShell } from '../framework/fill-shell.js';
import ToolCommand from '../framework/tool-command.js';
import { renderShell, type Style } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';

/** `wc shell status [SHELL]`: a shell and its last command. */
export default class ShellStatusCommand extends ToolCommand {
  static override tool = 'get-session-shell-status';

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    return fillShell(args, this.env);
  }

  protected override render(output: JsonObject, style: Style): string {
    return renderShell(output, style);
  }
}
