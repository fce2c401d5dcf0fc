import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SshResource } from '../../protocol/runner/ssh.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { ChildEnvironments } from '../environment/index.js';
import { notStarted } from '../jobs/not-started.js';
import { EXECUTION_VARIABLE } from '../jobs/proven-group.js';
import type { StartMarks } from '../jobs/start-marks.js';
import type { CurrentSettings } from '../policy/current-settings.js';
import { findProgram } from '../script/find-program.js';
import { connectionFailed } from './connect-failure.js';
import { SshConnections, type Dialled, type DialFailure, type HeldConnection } from './connections.js';
import { OpenSshConnection } from './openssh-connection.js';
import { OpenSshMaster } from './openssh-master.js';
import { makeSocketFolder } from './socket-folder.js';
import { connectSsh2 } from './ssh2-handshake.js';

export { connectionFailed } from './connect-failure.js';
export type { ChannelEnd, RemoteChannel, RemoteConnection } from './connection.js';
export type { HeldConnection } from './connections.js';
export { FrameFilter, type RemoteFrame } from './frame-filter.js';
export { remoteCommand } from './remote-command.js';
export { removeSocketFolder } from './socket-folder.js';
export { testResource } from './test-resource.js';
export { interruptRemote, terminateRemote, type RemoteEnd } from './terminate-remote.js';

export interface RemoteHostsOptions {
  /** The private folder of this Runner's life. */
  readonly folder: string;
  readonly environments: Pick<ChildEnvironments, 'forChild'>;
  readonly settings: CurrentSettings;
  readonly marks: Pick<StartMarks, 'begin'>;
  readonly onFault: (error: unknown) => void;
}

/** What a name stands for, found before anything is dialled. */
export interface FoundResource {
  readonly name: string;
  readonly resource: SshResource;
}

/** The configured hosts of this machine, and the connections to them (spec 03 §11). */
export class RemoteHosts {
  private readonly connections: SshConnections;
  private sockets: Promise<string> | null = null;
  private masters = 0;

  constructor(private readonly options: RemoteHostsOptions) {
    this.connections = new SshConnections({ dial: (resource) => this.dial(resource), onFault: options.onFault });
  }

  /** The resource of that name as it is configured now. */
  find(name: string): FoundResource | Refusal {
    const { resources } = this.options.settings.value.ssh;
    const resource = Object.hasOwn(resources, name) ? resources[name] : undefined;
    if (resource !== undefined) return { name, resource };
    return notStarted('ssh_resource_not_found', 'unsupported_resource', `There is no SSH resource "${name}" on this machine; "wc ssh list" shows those that there are.`, {
      resource: name,
    });
  }

  /** The connection of a Session to a resource, live at this moment; a refusal means that nothing was started. */
  async connect(session: string, { name, resource }: FoundResource): Promise<HeldConnection | Refusal> {
    this.connections.retireOutdated(this.options.settings.value.ssh.resources);
    const held = await this.connections.acquire(session, name, resource);
    if (!('failed' in held)) return held;
    return refuseConnection(name, held.failed);
  }

  /** Lets go of the connections of a Session that is over; how many there were. */
  release(session: string): number {
    return this.connections.release(session);
  }

  /** How many connections there are, those that are being made included. */
  get connectionCount(): number {
    return this.connections.count;
  }

  /** Ends every connection. */
  close(): Promise<void> {
    return this.connections.close();
  }

  private async dial(resource: SshResource): Promise<Dialled> {
    const id = `wc_ssh_${randomUUID().replaceAll('-', '')}`;
    const env = await this.options.environments.forChild(null, { [EXECUTION_VARIABLE]: id });
    if (resource.transport === 'ssh2') {
      const sshKeygen = await findProgram(['ssh-keygen'], env['PATH']);
      return sshKeygen === null ? { failed: 'no_ssh_keygen' } : connectSsh2({ resource, sshKeygen, env, home: env['HOME'] ?? homedir() });
    }
    const program = await findProgram(['ssh'], env['PATH']);
    if (program === null) return { failed: 'no_ssh' };
    this.sockets ??= makeSocketFolder(this.options.folder);
    const folder = await this.sockets;
    this.masters += 1;
    const master = await OpenSshMaster.start({
      program,
      host: resource.host,
      env,
      controlPath: join(folder, String(this.masters)),
      mark: () => this.options.marks.begin(id),
    });
    return 'failed' in master ? master : new OpenSshConnection(master);
  }
}

function refuseConnection(resource: string, failed: DialFailure): Refusal {
  switch (failed) {
    case 'no_ssh':
      return without('ssh', resource);
    case 'no_ssh_keygen':
      return without('ssh-keygen', resource);
    default:
      return connectionFailed(resource, failed);
  }
}

function without(program: string, resource: string): Refusal {
  return notStarted('capability_unavailable', 'capability_unavailable', `There is no "${program}" on the PATH of this machine; install OpenSSH to reach "${resource}".`, {
    resource,
  });
}
