import { EXIT } from '../../client/index.js';
import { renderMessage, renderMessages, textOf, type MessageFacts } from '../../client/render/index.js';
import type { ToolResult } from '../../protocol/tool-result.js';
import { cancelOnInterrupt } from '../framework/cancel-on-interrupt.js';
import { Flags } from '../framework/oclif.js';
import { SessionMessageCommand, sessionWord } from '../framework/session-message-command.js';

const WAIT_SECS = 60;

/** `wc session messages [SESSION]`: the newest messages of a board, oldest first; with `--follow` also those to come. */
export default class SessionMessagesCommand extends SessionMessageCommand {
  static override summary = "Show the messages of a Session's board.";
  static override args = sessionWord;
  static override flags = {
    ...SessionMessageCommand.flags,
    limit: Flags.integer({ char: 'n', summary: 'How many at most.', default: 20, min: 1, max: 100 }),
    kind: Flags.string({ summary: 'Only messages of this kind.' }),
    open: Flags.boolean({ summary: 'Only what is not dealt with.' }),
    follow: Flags.boolean({ char: 'f', summary: 'Go on and show each change as it comes.', exclusive: ['json'] }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(SessionMessagesCommand);
    const session = this.sessionOf(args.session ?? flags.session);
    // The cursor is taken first, so that nothing falls between what is listed and what is followed.
    const baseline = flags.follow ? await this.observe(session) : null;
    if (baseline?.success === false) return this.finish(baseline, false, () => '');
    const listed = await this.callTool(
      'list_session_messages',
      { session_id: session, limit: flags.limit, kind: flags.kind, ...(flags.open ? { status: 'open' } : {}) },
      { repeatable: true },
    );
    const code = this.finish(listed, flags.json, (output, style) => renderMessages(messagesOf(output).reverse(), style));
    if (baseline === null || !listed.success) return code;
    return this.follow(session, textOf(baseline.output, 'observation_token'), messagesOf(listed.output));
  }

  /** Shows every change until it is interrupted; a message is shown as it is at that moment. */
  private async follow(session: string, from: string, listed: readonly MessageFacts[]): Promise<number> {
    const interrupt = cancelOnInterrupt();
    const shown = new Set(listed.map((message) => JSON.stringify(message)));
    let token = from;
    for (;;) {
      const observed = await this.observe(session, token, interrupt);
      if (interrupt.aborted) return EXIT.success;
      if (!observed.success) return this.finish(observed, false, () => '');
      if (observed.output['history_lost'] === true) this.note('wc: some changes have left the bounded board unseen.');
      for (const message of messagesOf(observed.output)) {
        if (!shown.has(JSON.stringify(message))) this.print(`\n${renderMessage(message, this.outStyle)}`);
      }
      shown.clear();
      token = textOf(observed.output, 'observation_token');
    }
  }

  private observe(session: string, token?: string, signal?: AbortSignal): Promise<ToolResult> {
    return this.callTool(
      'observe_session_messages',
      { session_id: session, after_observation_token: token, wait_secs: token === undefined ? undefined : WAIT_SECS },
      { repeatable: true, ...(signal === undefined ? {} : { signal }) },
    );
  }
}

function messagesOf(output: ToolResult['output']): MessageFacts[] {
  return [...(output['messages'] as unknown as readonly MessageFacts[])];
}
