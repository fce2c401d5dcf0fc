import type { Style } from '../../client/render/index.js';
import { renderEvidence, renderSession } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import { Flags } from '../framework/oclif.js';
import ToolCommand from '../framework/tool-command.js';

/** Everything that the evidence page is made of; the work tree is `wc handoff`'s. */
const EVIDENCE = { diagnostic: true, include_workspace: false };

/** `wc session show [SESSION]`: a Session's state and its newest events, or what they prove. */
export default class SessionShowCommand extends ToolCommand {
  static override tool = 'read-session-summary';
  static override flags = {
    evidence: Flags.boolean({ summary: 'What the events prove: checks, failures, changes, Jobs, reports from outside.' }),
  };

  override async run(): Promise<number> {
    if (!this.argv.includes('--evidence')) return super.run();
    const { args, flags } = await this.parseLine();
    const result = await this.callTool(
      'read_session_handoff',
      { session_id: args['session_id'], ...EVIDENCE },
      { record: flags['record'] as string | undefined, repeatable: true },
    );
    return this.finish(result, flags['json'] === true, (output, style) => renderEvidence(output, style));
  }

  protected override render(output: JsonObject, style: Style): string {
    return renderSession(output, style);
  }
}
