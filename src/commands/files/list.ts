import type { Style } from '../../client/render/index.js';
import { renderEntries } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc files list [FOLDER]`. */
export default class FilesListCommand extends ToolCommand {
  static override tool = 'list-project-files';

  protected override render(output: JsonObject, style: Style): string {
    return renderEntries(output, style);
  }
}
