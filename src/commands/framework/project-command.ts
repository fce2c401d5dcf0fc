import type { CallOptions } from '../../client/index.js';
import type { ToolResult } from '../../protocol/tool-result.js';
import type { Selectors } from './fill-selectors.js';
import { jsonFlag, recordFlag, selectorFlags, WcCommand } from './wc-command.js';

/** A command about a project's files, whose own flags are handier than those of its tool. */
export abstract class ProjectCommand extends WcCommand {
  static override baseFlags = { ...jsonFlag, ...selectorFlags, ...recordFlag };

  /** Calls a tool on the project and in the Session that the line, the variables or the folder name. */
  protected async callOnProject(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    selectors: Selectors,
    options: CallOptions = {},
  ): Promise<ToolResult> {
    const project = selectors.project ?? this.variables.project ?? (await this.projectHere());
    const session = selectors.session ?? this.variables.session;
    return this.callTool(tool, { project, session_id: session, ...args }, { record: selectors.record, ...options });
  }
}
