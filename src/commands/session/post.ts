import type { Style } from '../../client/render/index.js';
import { renderMessage, type MessageFacts } from '../../client/render/index.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import ToolCommand from '../framework/tool-command.js';

/** `wc session post TEXT`: a message for whoever else works in a Session; a note unless `--kind` says otherwise. */
export default class SessionPostCommand extends ToolCommand {
  static override tool = 'post-session-message';
  /** What is posted when nothing is said. */
  protected readonly kind: string = 'note';

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    return { kind: this.kind, ...args };
  }

  protected override render(output: JsonObject, style: Style): string {
    const text = renderMessage(output['message'] as unknown as MessageFacts, style);
    return output['replayed'] === true ? `${text}\n${style.dim('It was posted before, with the same delivery key.')}` : text;
  }
}
