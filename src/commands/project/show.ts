import { Args } from '../framework/oclif.js';
import { renderProject } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc project show [PROJECT]`: the registration of one project, with a look at its repository. */
export default class ProjectShowCommand extends WcCommand {
  static override summary = 'Show one project: by default that of WC_PROJECT, or of the current folder.';
  static override args = { project: Args.string({ description: 'Its id, its name or its short form ~pN.' }) };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(ProjectShowCommand);
    const project = args.project ?? this.variables.project ?? (await this.projectHere());
    const result = await this.callTool('list_projects', { project, include_git_summary: true }, { repeatable: true });
    return this.finish(result, flags.json, (output, style) => {
      const [view] = output['projects'] as readonly JsonObject[];
      return view === undefined ? 'There is no such project.' : renderProject(view, style);
    });
  }
}
