import { renderMessage, type MessageFacts } from '../../client/render/index.js';
import type { ToolResult } from '../../protocol/tool-result.js';
import { Args } from '../framework/oclif.js';
import { operatorRequest } from '../framework/operator-request.js';
import { SessionMessageCommand } from '../framework/session-message-command.js';

/** `wc session withdraw MESSAGE`: takes an open message back; its text stays readable. */
export default class SessionWithdrawCommand extends SessionMessageCommand {
  static override summary = 'Take an open message back; its text stays readable.';
  static override args = { message: Args.string({ description: 'The message (wc_msg_…).', required: true }) };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(SessionWithdrawCommand);
    const asked = { session_id: this.sessionOf(flags.session), message_id: args.message };
    const result = await operatorRequest<ToolResult>(await this.client(), '/api/messages/withdraw', asked);
    return this.finish(result, flags.json, (output, style) => renderMessage(output['message'] as unknown as MessageFacts, style));
  }
}
