import type { Style } from '../client/render/index.js';
import { renderStartup } from '../client/render/index.js';
import type { JsonObject } from '../protocol/tool-result.js';
import ToolCommand from './framework/tool-command.js';

/**
 * `wc work-on-project INSTRUCTION`: without a project and a Session, the folder that the
 * person stands in is the choice; the daemon finds or registers the project around it.
 */
export default class WorkOnProjectCommand extends ToolCommand {
  static override examples = [
    "<%= config.bin %> work-on-project 'Make the failing test pass'",
    "<%= config.bin %> work-on-project --session '~s1' 'Now write the documentation'",
  ];

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    const chosen = ['project', 'path', 'session_id'].some((source) => args[source] !== undefined);
    if (!chosen) return { client_id: 'local', path: process.cwd(), ...args };
    return args['path'] === undefined ? args : { client_id: 'local', ...args };
  }

  protected override render(output: JsonObject, style: Style): string {
    return renderStartup(output, style);
  }
}
