import { Args } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import { operatorRequest } from '../framework/operator-request.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc token revoke NAME`: from then on requests with it are refused. */
export default class TokenRevokeCommand extends WcCommand {
  static override summary = 'End a token.';
  static override args = { name: Args.string({ description: 'The name it was made under.', required: true }) };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(TokenRevokeCommand);
    const answer = await operatorRequest<object>(await this.client(), '/api/tokens/revoke', { name: args.name });
    this.print(flags.json ? JSON.stringify(answer) : `Token '${args.name}' is revoked.`);
    return EXIT.success;
  }
}
