import { EXIT } from '../../client/index.js';
import { textTable, utcTime } from '../../client/render/index.js';
import { operatorRequest } from '../framework/operator-request.js';
import { WcCommand } from '../framework/wc-command.js';

/** A token without its secret. Times are Unix seconds. */
interface TokenView {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly state: 'in_force' | 'expired' | 'revoked';
}

/** `wc token list`: what there is, without the secrets, which nobody has. */
export default class TokenListCommand extends WcCommand {
  static override summary = 'List the tokens.';

  async run(): Promise<number> {
    const { flags } = await this.parse(TokenListCommand);
    const answer = await operatorRequest<{ readonly tokens: readonly TokenView[] }>(await this.client(), '/api/tokens/list', {});
    if (flags.json) this.print(JSON.stringify(answer));
    else this.print(answer.tokens.length === 0 ? 'There are no tokens.' : this.table(answer.tokens));
    return EXIT.success;
  }

  private table(tokens: readonly TokenView[]): string {
    const style = this.outStyle;
    return textTable(
      tokens,
      [
        { title: 'name', value: ({ name }) => name },
        {
          title: 'state',
          value: ({ state }) => state.replace('_', ' '),
          paint: (text, { state }) => (state === 'in_force' ? style.good(text) : style.dim(text)),
        },
        { title: 'created', value: ({ created_at }) => utcTime(created_at * 1_000) },
        { title: 'ends', value: ({ expires_at, revoked_at }) => ends(revoked_at ?? expires_at) },
        { title: 'scopes', value: ({ scopes }) => scopes.join(' ') },
      ],
      style,
    );
  }
}

function ends(at: number | null): string {
  return at === null ? '-' : utcTime(at * 1_000);
}
