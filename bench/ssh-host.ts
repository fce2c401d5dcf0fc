import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { startSshServer } from '../test/runner/ssh/ssh-server.js';
import { runToEnd } from './run-to-end.js';
import type { Bench, BenchDaemon } from './world.js';

/** A host on the loopback device, a daemon that knows it by both transports, and a master that is driven by hand. */
export interface SshHost {
  readonly daemon: BenchDaemon;
  /** Runs a command there, as anybody would who has a control socket. */
  readonly byHand: (command: string) => Promise<unknown>;
}

/** Starts the host, and what reaches it in both ways. */
export async function sshHost({ daemon, folder, defer }: Bench): Promise<SshHost> {
  const server = await startSshServer();
  defer(() => server.stop());
  const { PATH = '', HOME = '' } = process.env;
  Object.assign(process.env, { PATH: `${server.bin}${delimiter}${PATH}`, HOME: server.home });
  defer(() => Object.assign(process.env, { PATH, HOME }));
  const resources = { openssh: server.resource('openssh'), ssh2: server.resource('ssh2') };
  const ours = await daemon({ config: { runner: { env: 'inherit', ssh: { resources } } } });
  const ssh = join(server.bin, 'ssh');
  const control = join(folder, 'ctl');
  const master = spawn(ssh, ['-M', '-N', '-S', control, '-o', 'ControlPersist=no', server.alias], { stdio: 'ignore' });
  defer(() => master.kill());
  const byHand = (command: string): Promise<unknown> => runToEnd(ssh, ['-S', control, server.alias, command], { stdio: ['ignore', 'pipe', 'pipe'] });
  await runToEnd('sh', ['-c', `until ${ssh} -S ${control} -O check ${server.alias}; do sleep 0.05; done`], { stdio: 'ignore' });
  return { daemon: ours, byHand };
}
