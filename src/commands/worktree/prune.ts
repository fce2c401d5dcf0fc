import { EXIT } from '../../client/index.js';
import { renderPruned } from '../../client/render/index.js';
import type { PruneReport } from '../../protocol/worktrees.js';
import { Flags } from '../framework/oclif.js';
import { operatorRequest } from '../framework/operator-request.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc worktree prune`: removes what nothing needs; 1 when something could not be removed. */
export default class WorktreePruneCommand extends WcCommand {
  static override summary = 'Remove the worktrees that nothing needs, and say why the others stay.';
  static override description =
    'A worktree stays while it has uncommitted changes, commits that no other branch, remote branch or tag has, or an Active Session.';
  static override flags = { 'dry-run': Flags.boolean({ summary: 'Say what would be removed, and remove nothing.' }) };

  async run(): Promise<number> {
    const { flags } = await this.parse(WorktreePruneCommand);
    const report = await operatorRequest<PruneReport>(await this.client(), '/api/worktrees/prune', { dry_run: flags['dry-run'] });
    this.print(flags.json ? JSON.stringify(report) : renderPruned(report, this.outStyle));
    return report.kept.some(({ kept_by: reasons }) => reasons.includes('not_removed')) ? EXIT.refused : EXIT.success;
  }
}
