import { EXIT } from '../../client/index.js';
import { clientOf, planUninstall, shown, uninstall } from '../../client/mcp-clients/index.js';
import { changeFlags, clientArgument, McpClientCommand } from '../framework/mcp-client-command.js';

/** `wc mcp uninstall CLIENT`. */
export default class McpUninstallCommand extends McpClientCommand {
  static override summary = 'Take wc out of an MCP client; a file that nobody changed since gets its old bytes back.';
  static override args = clientArgument;
  static override flags = changeFlags;
  static override examples = ['<%= config.bin %> mcp uninstall cursor'];

  async run(): Promise<number> {
    const { args, flags } = await this.parse(McpUninstallCommand);
    return this.orRefuse(async () => {
      const client = clientOf(args.client as Parameters<typeof clientOf>[0]);
      const [scope, places, backups] = [this.scope(flags), this.places(), await this.backups()];
      const plan = await planUninstall({ client, scope, name: flags.name, byFile: flags.edit }, backups, places);
      const { file } = plan.config;
      const isAbsent = plan.action === 'absent';
      const goesAhead = isAbsent || (await this.agreed(plan, flags));
      const backup = goesAhead ? await uninstall(plan, backups, places) : null;
      if (flags.json) {
        const report = { client: client.id, scope, name: flags.name, file: file.path, action: plan.action, written: goesAhead && !isAbsent, backup };
        this.print(JSON.stringify({ ...report, diff: plan.diff, commands: plan.commands }));
      } else if (isAbsent) this.print(`${client.title} has no server called "${flags.name}": ${shown(file)}`);
      else if (goesAhead) this.print(`\n${client.title}: ${plan.action === 'restored' ? 'as it was before' : 'removed'} in ${shown(file)}${backup === null ? '' : `\nbackup: ${backup}`}`);
      else this.note(flags['dry-run'] ? 'Nothing was changed.' : 'Nothing was changed; you did not say yes.');
      return goesAhead || flags['dry-run'] ? EXIT.success : EXIT.refused;
    });
  }
}
