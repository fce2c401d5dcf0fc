import { textOf } from '../client/render/index.js';
import type { JsonObject } from '../protocol/tool-result.js';
import ToolCommand from './framework/tool-command.js';

/** `wc run-job COMMAND`: admitted, and observed with `wc job`. */
export default class RunJobCommand extends ToolCommand {
  protected override render(output: JsonObject): string {
    const id = textOf(output, 'job_id');
    return `Job ${id} is ${textOf(output, 'job_status')}: \`wc job logs ${id} --follow\`, \`wc job wait ${id}\`.`;
  }
}
