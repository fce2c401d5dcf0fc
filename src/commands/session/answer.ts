import { randomUUID } from 'node:crypto';
import { EXIT } from '../../client/index.js';
import { renderMessage, renderMessages, textOf, type MessageFacts } from '../../client/render/index.js';
import type { JsonObject, ToolResult } from '../../protocol/tool-result.js';
import { errorKindOf } from '../../protocol/tool-result.js';
import { Args, Flags } from '../framework/oclif.js';
import { SessionMessageCommand } from '../framework/session-message-command.js';

/**
 * `wc session answer MESSAGE TEXT`: completes a todo, or replies to any other message. A todo
 * is completed against its thread as it is read here, or as `--fence` says that it was read.
 */
export default class SessionAnswerCommand extends SessionMessageCommand {
  static override summary = 'Answer a message: a todo is completed by it, once.';
  static override args = {
    message: Args.string({ description: 'The message (wc_msg_…).', required: true }),
    text: Args.string({ description: 'The answer.', required: true }),
  };
  static override flags = {
    ...SessionMessageCommand.flags,
    fence: Flags.string({ summary: 'The assignment fence that get-session-assignment gave; else the thread is read now.', helpValue: 'FENCE' }),
    key: Flags.string({ summary: 'A key of your own that makes a repeat of this very answer safe.', helpValue: 'KEY' }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(SessionAnswerCommand);
    const session = this.sessionOf(flags.session);
    const { record } = flags;
    const read = await this.callTool('get_session_assignment', { session_id: session, message_id: args.message }, { record, repeatable: true });
    if (errorKindOf(read) === 'session_message_not_todo') {
      const posted = await this.callTool(
        'post_session_message',
        { session_id: session, kind: 'answer', message: args.text, reply_to: args.message, delivery_key: flags.key },
        { record },
      );
      return this.finish(posted, flags.json, (output, style) => renderMessage(output['message'] as unknown as MessageFacts, style));
    }
    // A todo that is closed may be so by this very answer; whoever names its key and fence is told.
    const fence = flags.fence ?? (read.success ? textOf(read.output, 'assignment_fence') : undefined);
    if (fence === undefined) return this.finish(read, flags.json, () => '');
    const completed = await this.callTool(
      'complete_session_message',
      {
        session_id: session,
        message_id: args.message,
        answer: args.text,
        completion_key: flags.key ?? randomUUID(),
        expected_assignment_fence: fence,
      },
      { record },
    );
    return flags.json ? this.finish(completed, true, () => '') : this.conclude(completed);
  }

  private conclude(completed: ToolResult): number {
    if (errorKindOf(completed) === 'assignment_stale') this.note(threadText(completed.output, (messages) => renderMessages(messages, this.errStyle)));
    const code = this.finish(completed, false, (output, style) => renderMessage(output['answer'] as unknown as MessageFacts, style));
    return completed.success ? EXIT.success : code;
  }
}

/** What the assignment is now, for whoever answered something else. */
function threadText(output: JsonObject, render: (messages: readonly MessageFacts[]) => string): string {
  const current = output['current_assignment'] as unknown as { readonly todo: MessageFacts; readonly direct_replies: readonly MessageFacts[] };
  return render([current.todo, ...current.direct_replies]);
}
