import { textOf } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import { fillShell } from '../framework/fill-shell.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc shell close [SHELL]`: ends a shell and everything in it; one that is over already is a success. */
export default class ShellCloseCommand extends ToolCommand {
  static override tool = 'close-session-shell';

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    return fillShell(args, this.env);
  }

  protected override render(output: JsonObject): string {
    const already = output['already_closed'] === true ? `was over already (${textOf(output, 'close_reason').replaceAll('_', ' ')})` : 'is closed';
    return `Shell ${textOf(output, 'shell_id')} ${already}.`;
  }
}
