import { resolve } from 'node:path';
import { Args, Flags } from '../framework/oclif.js';
import { textOf } from '../../client/render/index.js';
import { WcCommand } from '../framework/wc-command.js';

interface Listed {
  readonly name: string;
  readonly binding: string;
}

/** `wc ssh add NAME --host ALIAS`: the Runner knows it at once. */
export default class SshAddCommand extends WcCommand {
  static override summary = 'Add a host that Sessions may work on; the same again changes nothing.';
  static override args = { name: Args.string({ description: 'What Sessions call it.', required: true }) };
  static override flags = {
    host: Flags.string({ summary: 'What ssh is given: an alias of your SSH configuration, user@host, or ssh://…', helpValue: 'ALIAS', required: true }),
    transport: Flags.string({ summary: 'ssh2 goes past your SSH configuration, by the host name and the next three.', options: ['openssh', 'ssh2'], default: 'openssh' }),
    port: Flags.integer({ summary: 'With ssh2: default 22.', helpValue: 'PORT' }),
    user: Flags.string({ summary: 'With ssh2: who to log in as.', helpValue: 'USER' }),
    'identity-file': Flags.string({ summary: 'With ssh2: the private key; else the keys of the agent.', helpValue: 'FILE' }),
    'default-cwd': Flags.string({ summary: 'Where commands start there; else in the login folder.', helpValue: 'FOLDER' }),
    replace: Flags.boolean({ summary: 'Put it in the place of another one of this name.' }),
  };
  static override examples = ['<%= config.bin %> ssh add box --host build-box --default-cwd work/api', '<%= config.bin %> ssh test box'];

  async run(): Promise<number> {
    const { args, flags } = await this.parse(SshAddCommand);
    const binding = flags.replace ? await this.bindingOf(args.name) : undefined;
    const result = await this.callTool('manage_ssh_resource', {
      action: 'register',
      name: args.name,
      target: flags.host,
      transport: flags.transport,
      port: flags.port,
      user: flags.user,
      identity_file: identityFile(flags['identity-file']),
      default_cwd: flags['default-cwd'],
      binding,
    });
    return this.finish(result, flags.json, (output) =>
      output['outcome'] === 'unchanged' ? `The resource ${textOf(output, 'name')} is there already.` : `The resource ${textOf(output, 'name')} is ${textOf(output, 'outcome')}.`,
    );
  }

  /** What stands under that name now. */
  private async bindingOf(name: string): Promise<string | undefined> {
    const listed = await this.callTool('manage_ssh_resource', { action: 'list' }, { repeatable: true });
    if (!listed.success) return undefined;
    return (listed.output['resources'] as unknown as readonly Listed[]).find((one) => one.name === name)?.binding;
  }
}

/** The daemon has another working folder. */
function identityFile(given: string | undefined): string | undefined {
  return given === undefined || given.startsWith('~/') ? given : resolve(given);
}
