import { EXIT } from '../../client/index.js';
import { renderWorktrees } from '../../client/render/index.js';
import type { WorktreeReport } from '../../protocol/worktrees.js';
import { operatorRequest } from '../framework/operator-request.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc worktree list`: every managed worktree, the newest first, and why it stays. */
export default class WorktreeListCommand extends WcCommand {
  static override summary = 'List the worktrees that were made for tasks, with what is in them.';

  async run(): Promise<number> {
    const { flags } = await this.parse(WorktreeListCommand);
    const report = await operatorRequest<WorktreeReport>(await this.client(), '/api/worktrees/list', {});
    this.print(flags.json ? JSON.stringify(report) : renderWorktrees(report, this.outStyle));
    return EXIT.success;
  }
}
