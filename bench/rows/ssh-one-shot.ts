import { beginWork } from '../project.js';
import { SSH_TRANSPORTS } from '../../src/protocol/runner/ssh.js';
import type { Figure, Row } from '../row.js';
import { sshHost } from '../ssh-host.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

/** What a command on a resource costs over a warm connection: the way to the Runner, the marks, the proof of its end. */
export const sshOneShot: Row = {
  name: 'ssh-one-shot',
  what: '`run_shell true` on an SSH resource over a warm connection, over `ssh -S ctl host true`',
  measure: async (bench) => {
    const { daemon, byHand } = await sshHost(bench);
    const { project } = await beginWork(daemon, await bench.repository());
    const figures: Figure[] = [];
    for (const resource of SSH_TRANSPORTS) {
      const { session_id } = await daemon.call('start_session', { project, execution_context: { resource } });
      const samples = await takeTurns(
        { rounds: 60, warmUp: 10 },
        () => daemon.call('run_shell', { project, session_id, command: 'true' }),
        () => byHand('true'),
      );
      figures.push({ label: `${resource} p50`, ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 1.15 });
    }
    return figures;
  },
};
