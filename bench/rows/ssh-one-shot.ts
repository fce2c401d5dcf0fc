import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { sshHost } from '../ssh-host.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

/** What a command on a resource costs over a warm connection: the way to the Runner, the marks, the proof of its end. */
export const sshOneShot: Row = {
  name: 'ssh-one-shot',
  what: '`run_shell true` on an SSH resource over a warm master, over `ssh -S ctl host true`',
  measure: async (bench) => {
    const { daemon, byHand } = await sshHost(bench);
    const { project } = await beginWork(daemon, await bench.repository());
    const { session_id } = await daemon.call('start_session', { project, execution_context: { resource: 'box' } });
    const samples = await takeTurns(
      { rounds: 100, warmUp: 10 },
      () => daemon.call('run_shell', { project, session_id, command: 'true' }),
      () => byHand('true'),
    );
    return [{ label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 1.15 }];
  },
};
