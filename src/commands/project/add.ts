import { resolve } from 'node:path';
import type { Style } from '../../client/render/index.js';
import { renderProject, textOf } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc project add [FOLDER]`: the current folder unless another one is named. */
export default class ProjectAddCommand extends ToolCommand {
  static override tool = 'register-project';

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    return { ...args, path: resolve(typeof args['path'] === 'string' ? args['path'] : '.') };
  }

  protected override render(output: JsonObject, style: Style): string {
    return `${style.bold(`Project ${textOf(output, 'outcome')}.`)}\n${renderProject(output, style)}`;
  }
}
