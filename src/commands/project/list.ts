import type { Style } from '../../client/render/index.js';
import { renderProjects } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc project list [QUERY]`. */
export default class ProjectListCommand extends ToolCommand {
  static override tool = 'list-projects';

  protected override render(output: JsonObject, style: Style): string {
    return renderProjects(output, style);
  }
}
