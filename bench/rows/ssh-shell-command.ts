import { beginWork } from '../project.js';
import { SSH_TRANSPORTS } from '../../src/protocol/runner/ssh.js';
import type { Figure, Row } from '../row.js';
import { sshHost } from '../ssh-host.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

/** What it costs that an open shell is on another machine. */
export const sshShellCommand: Row = {
  name: 'ssh-shell-command',
  what: 'a program run in an open shell on an SSH resource, over the same in an open shell on this machine',
  measure: async (bench) => {
    const { daemon } = await sshHost(bench);
    const { project, session } = await beginWork(daemon, await bench.repository());
    const local = { project, session_id: session, ...named(await daemon.call('open_session_shell', { project, session_id: session })) };
    const figures: Figure[] = [];
    for (const resource of SSH_TRANSPORTS) {
      const { session_id } = await daemon.call('start_session', { project, execution_context: { resource } });
      const remote = { project, session_id, ...named(await daemon.call('open_session_shell', { project, session_id })) };
      // A file, so that neither shell has it built in.
      const command = '/bin/true';
      const samples = await takeTurns(
        { rounds: 200, warmUp: 40 },
        () => daemon.call('execute_session_shell', { ...remote, command }),
        () => daemon.call('execute_session_shell', { ...local, command }),
      );
      figures.push({ label: `${resource} p50`, ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 3 });
    }
    return figures;
  },
};

function named({ shell_id }: { readonly [key: string]: unknown }): { readonly shell_id: unknown } {
  return { shell_id };
}
