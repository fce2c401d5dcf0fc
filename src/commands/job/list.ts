import type { Style } from '../../client/render/index.js';
import { renderJobs } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc job list`: the newest first. */
export default class JobListCommand extends ToolCommand {
  static override tool = 'list-jobs';

  protected override render(output: JsonObject, style: Style): string {
    return renderJobs(output, style);
  }
}
