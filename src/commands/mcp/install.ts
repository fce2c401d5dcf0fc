import { EXIT, packageRoot } from '../../client/index.js';
import type { StartedEntry } from '../../client/mcp-clients/index.js';
import { clientOf, install, ourEntry, planInstall, shown, stableNode, startEntry } from '../../client/mcp-clients/index.js';
import { duration } from '../../client/render/index.js';
import { changeFlags, clientArgument, McpClientCommand } from '../framework/mcp-client-command.js';

/** `wc mcp install CLIENT`: the entry is started for real before anybody relies on it. */
export default class McpInstallCommand extends McpClientCommand {
  static override summary = 'Set wc up in an MCP client: shows the change, asks, keeps a backup.';
  static override description =
    'Comments, trailing commas and other servers stay as they are; the same again changes nothing. A file that does not parse, is read-only or has another server of that name is left alone.';
  static override args = clientArgument;
  static override flags = changeFlags;
  static override examples = ['<%= config.bin %> mcp install claude-code', '<%= config.bin %> mcp install cursor --project --dry-run', '<%= config.bin %> mcp install zed --yes'];

  async run(): Promise<number> {
    const { args, flags } = await this.parse(McpInstallCommand);
    return this.orRefuse(async () => {
      const client = clientOf(args.client as Parameters<typeof clientOf>[0]);
      const [scope, places] = [this.scope(flags), this.places()];
      const node = stableNode(process.execPath, this.env['PATH']);
      const entry = ourEntry({ node, packageRoot: packageRoot(), stateFolder: (await this.client()).stateFolder, env: this.env, scope });
      const started = await startEntry(entry, places);
      const plan = await planInstall({ client, scope, name: flags.name, entry, byFile: flags.edit }, places);
      const { file } = plan.config;
      const goesAhead = plan.action === 'unchanged' || (await this.agreed(plan, flags));
      const backup = goesAhead ? await install(plan, await this.backups(), places) : null;
      if (flags.json) {
        const report = { client: client.id, scope, name: flags.name, file: file.path, action: plan.action, written: goesAhead && plan.action !== 'unchanged', backup };
        this.print(JSON.stringify({ ...report, diff: plan.diff, commands: plan.commands, start: started }));
        return started.ok ? EXIT.success : EXIT.refused;
      }
      if (plan.action === 'unchanged') this.print(`${client.title} has it already: ${shown(file)}`);
      else if (goesAhead) this.print(`\n${client.title}: ${plan.action} in ${shown(file)}${backup === null ? '' : `\nbackup: ${backup}`}\n${client.then}`);
      else this.note(flags['dry-run'] ? 'Nothing was changed.' : 'Nothing was changed; you did not say yes.');
      if (scope === 'project' && goesAhead) this.note('The entry names paths of this machine: keep the file out of what others share, or let them install it themselves.');
      return this.sayStart(started, goesAhead || flags['dry-run']);
    });
  }

  private sayStart(started: StartedEntry, isDone: boolean): number {
    if (started.ok) this.print(`Started as a client does, it answers with ${started.tools} tools in ${duration(started.ms)}.`);
    else this.note(`wc: Started as a client does, ${started.reason}. See \`wc doctor\`.`);
    return started.ok && isDone ? EXIT.success : EXIT.refused;
  }
}
