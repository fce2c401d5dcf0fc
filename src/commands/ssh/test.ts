import { Args } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import { renderFailure, renderResourceTest } from '../../client/render/index.js';
import { cancelOnInterrupt } from '../framework/cancel-on-interrupt.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc ssh test NAME`: what was reached stands there also when the rest was not. */
export default class SshTestCommand extends WcCommand {
  static override summary = 'Try a host: reachable, authenticated, multiplexed, shell, home, latency.';
  static override args = { name: Args.string({ description: 'What Sessions call it.', required: true }) };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(SshTestCommand);
    const result = await this.callTool('manage_ssh_resource', { action: 'test', name: args.name }, { signal: cancelOnInterrupt() });
    if (flags.json || !('reachable' in result.output)) return this.finish(result, flags.json, renderResourceTest);
    this.print(renderResourceTest(result.output, this.outStyle));
    if (!result.success) this.note(renderFailure(result, this.errStyle));
    return result.success ? EXIT.success : EXIT.refused;
  }
}
