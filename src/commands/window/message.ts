import type { ToolResult } from '../../protocol/tool-result.js';
import { textOf } from '../../client/render/index.js';
import { Args, Flags } from '../framework/oclif.js';
import { operatorRequest } from '../framework/operator-request.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc window message WINDOW TEXT`: a word of the operator's, in one of the answers that the window gets. */
export default class WindowMessageCommand extends WcCommand {
  static override summary = 'Send a message to a window; it stands in one of the next answers that the window gets.';
  static override args = {
    window: Args.string({ description: 'The window (wc_peer_…), as wc window list names it.', required: true }),
    text: Args.string({ description: 'The message.', required: true }),
  };
  static override flags = {
    kind: Flags.string({ summary: 'What it is.', default: 'note' }),
    priority: Flags.string({ summary: 'How urgent it is.', options: ['low', 'normal', 'high'] }),
    'requires-ack': Flags.boolean({ summary: 'Show it again until the window acknowledges it.' }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(WindowMessageCommand);
    const result = await operatorRequest<ToolResult>(await this.client(), '/api/windows/message', {
      window: args.window,
      message: args.text,
      kind: flags.kind,
      ...(flags.priority === undefined ? {} : { priority: flags.priority }),
      ...(flags['requires-ack'] ? { requires_ack: true } : {}),
    });
    return this.finish(result, flags.json, (output) => `${textOf(output, 'message_id')} waits for ${textOf(output, 'window')}.`);
  }
}
