import { renderMessage, type MessageFacts } from '../../client/render/index.js';
import type { ToolResult } from '../../protocol/tool-result.js';
import { Args } from '../framework/oclif.js';
import { operatorRequest } from '../framework/operator-request.js';
import { SessionMessageCommand } from '../framework/session-message-command.js';

/** `wc session replace MESSAGE TEXT`: says an open message better; the old one points to the new one. */
export default class SessionReplaceCommand extends SessionMessageCommand {
  static override summary = 'Replace an open message by a better text; the old one points to it.';
  static override args = {
    message: Args.string({ description: 'The message (wc_msg_…).', required: true }),
    text: Args.string({ description: 'What it says from now on.', required: true }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(SessionReplaceCommand);
    const asked = { session_id: this.sessionOf(flags.session), message_id: args.message, message: args.text };
    const result = await operatorRequest<ToolResult>(await this.client(), '/api/messages/replace', asked);
    return this.finish(result, flags.json, (output, style) => renderMessage(output['message'] as unknown as MessageFacts, style));
  }
}
