import { EXIT } from '../client/index.js';
import { examine, type Finding } from '../client/doctor/index.js';
import { printableLine } from '../client/render/index.js';
import { McpClientCommand } from './framework/mcp-client-command.js';

/** `wc doctor`: exit code 1 when something is broken. Starts no daemon. */
export default class DoctorCommand extends McpClientCommand {
  static override summary = 'Look at everything that wc stands on, and say what to do about what is wrong.';
  static override description = 'Starts no daemon. Each MCP client\'s entry is started for real, with as little environment as a client leaves.';

  async run(): Promise<number> {
    const { flags } = await this.parse(DoctorCommand);
    const client = await this.client({ autostart: false });
    const findings = await examine({ places: this.places(), find: () => client.find() });
    const count = (status: Finding['status']): number => findings.filter((finding) => finding.status === status).length;
    const summary = { ok: count('broken') === 0, broken: count('broken'), warnings: count('warning') };
    this.print(flags.json ? JSON.stringify({ ...summary, findings }) : `${findings.map((finding) => this.line(finding)).join('\n')}\n\n${this.verdict(summary)}`);
    return summary.ok ? EXIT.success : EXIT.refused;
  }

  private line({ check, status, detail, fix }: Finding): string {
    const style = this.outStyle;
    const mark = { ok: style.good('ok      '), warning: style.warn('warning '), broken: style.bad('BROKEN  ') }[status];
    const text = `${mark} ${style.bold(check)}: ${printableLine(detail)}`;
    return fix === null ? text : `${text}\n         ${style.dim('->')} ${printableLine(fix)}`;
  }

  private verdict({ broken, warnings }: { readonly broken: number; readonly warnings: number }): string {
    if (broken > 0) return `${broken} broken, ${warnings} to look at.`;
    return warnings > 0 ? `Nothing is broken; ${warnings} to look at.` : 'All is well.';
  }
}
