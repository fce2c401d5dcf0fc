import { handDrivenShell } from '../hand-driven-shell.js';
import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

/** What a command in an open shell costs: the way to the Runner, the proof of its end, its evidence. */
export const shellCommand: Row = {
  name: 'shell-command',
  what: 'a program run in an open persistent shell, over the same by hand through a control descriptor',
  measure: async ({ daemon, repository, defer }) => {
    const ours = await daemon();
    const path = await repository();
    const { project, session } = await beginWork(ours, path);
    const bound = { project, session_id: session };
    const { shell_id } = await ours.call('open_session_shell', bound);
    const byHand = handDrivenShell(path);
    defer(byHand.end);
    // A file, so that neither shell has it built in.
    const command = '/bin/true';
    const samples = await takeTurns(
      { rounds: 500, warmUp: 100 },
      () => ours.call('execute_session_shell', { ...bound, shell_id, command }),
      () => byHand.run(command),
    );
    return [
      { label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 6 },
    ];
  },
};
