import { Args, Flags } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import { SCOPES } from '../../protocol/scopes.js';
import { operatorRequest } from '../framework/operator-request.js';
import { readDuration } from '../framework/read-duration.js';
import { definedOnly, WcCommand } from '../framework/wc-command.js';

interface CreatedToken {
  readonly name: string;
  readonly token: string;
  readonly scopes: readonly string[];
}

/** `wc token create NAME --scope S…`: the token itself is shown this once. */
export default class TokenCreateCommand extends WcCommand {
  static override summary = 'Make a named token for another program; it is shown once.';
  static override args = { name: Args.string({ description: 'What the token is called from now on.', required: true }) };
  static override flags = {
    scope: Flags.string({
      summary: 'What the token may do; may be repeated.',
      options: [...SCOPES],
      multiple: true,
      multipleNonGreedy: true,
      required: true,
    }),
    'expires-in': Flags.string({ summary: 'How long it is valid, e.g. 12h or 30d; else until it is revoked.', helpValue: 'SPAN' }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(TokenCreateCommand);
    const expires = flags['expires-in'];
    const { name, token, scopes } = await operatorRequest<CreatedToken>(await this.client(), '/api/tokens/create', {
      name: args.name,
      scopes: flags.scope,
      ...definedOnly({ expires_in_secs: expires === undefined ? undefined : readDuration('expires-in', expires) / 1_000 }),
    });
    if (flags.json) this.print(JSON.stringify({ name, token, scopes }));
    else {
      this.print(token);
      this.note(`This is token '${name}' (${scopes.join(', ')}). It is kept nowhere and shown only now; programs send it as WC_TOKEN.`);
    }
    return EXIT.success;
  }
}
