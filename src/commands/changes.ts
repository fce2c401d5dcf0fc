import type { Style } from '../client/render/index.js';
import { renderChanges } from '../client/render/index.js';
import type { JsonObject } from '../protocol/tool-result.js';
import { Flags } from './framework/oclif.js';
import ToolCommand from './framework/tool-command.js';

/** The hunks that a person gets to see without asking for more. */
const USUAL_HUNKS = 100;
const USUAL_HUNK_LINES = 240;

/** `wc changes`: what differs from the last commit in the project's folder, as a diff; `--stat` leaves the lines out. */
export default class ChangesCommand extends ToolCommand {
  static override tool = 'read-workspace-changes';
  static override flags = { stat: Flags.boolean({ summary: 'Files and sums only, without the lines.' }) };

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    // Who says --include-diff means the tool as it is, with its own bounds.
    if (args['include_diff'] !== undefined) return args;
    if (this.argv.includes('--stat')) return { include_diff: false, ...args };
    return { include_diff: true, max_hunks: USUAL_HUNKS, max_hunk_lines: USUAL_HUNK_LINES, ...args };
  }

  protected override render(output: JsonObject, style: Style): string {
    return renderChanges(output, style);
  }
}
