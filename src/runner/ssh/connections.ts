import { isDeepStrictEqual } from 'node:util';
import type { ConnectFailure, SshResource } from '../../protocol/runner/ssh.js';
import type { RemoteConnection } from './connection.js';

/** How long a connection that carries nothing is kept. */
const IDLE_MS = 300_000;

/** Why there is no connection: a handshake that failed, or a program of this machine that it takes and that is missing. */
export type DialFailure = ConnectFailure | 'no_ssh' | 'no_ssh_keygen';
export type Dialled = RemoteConnection | { readonly failed: DialFailure };

export interface ConnectionsOptions {
  /** One handshake with a resource. */
  readonly dial: (resource: SshResource) => Promise<Dialled>;
  readonly onFault: (error: unknown) => void;
  readonly idleMs?: number;
}

interface Entry {
  readonly session: string;
  readonly name: string;
  readonly resource: SshResource;
  readonly dialled: Promise<Dialled>;
  /** Commands that use it, or wait for it. */
  users: number;
  /** Nobody else gets it any more: it ends with its last user. */
  retired: boolean;
  idleTimer: NodeJS.Timeout | null;
}

/** A connection that is in use until it is given back. */
export interface HeldConnection {
  readonly connection: RemoteConnection;
  /** The command is over. */
  giveBack(): void;
  /** It broke under a command: the next one gets another. */
  forget(): void;
}

/**
 * The connections to resources: one for Session × resource × generation, shared by every
 * command of that Session (spec 03 §11). A generation is the resource's definition as it
 * was; when that has changed, the connection of the old one ends with its last command.
 * Concurrent commands share one handshake; nothing is ever replayed on another connection.
 */
export class SshConnections {
  private readonly entries = new Map<string, Entry>();
  private closing = false;
  /** Those that are retired and still carry commands. */
  private readonly leaving = new Set<Entry>();

  constructor(private readonly options: ConnectionsOptions) {}

  /** The live connection of a key; it is dialled when there is none. */
  async acquire(session: string, name: string, resource: SshResource): Promise<HeldConnection | { readonly failed: DialFailure }> {
    const key = `${session}\0${name}`;
    // A connection that turns out to be dead is dialled anew once; a second dead one is told.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      if (this.closing) return { failed: 'connection_lost' };
      const entry = this.entryOf(key, session, name, resource);
      entry.users += 1;
      if (entry.idleTimer !== null) clearTimeout(entry.idleTimer);
      const dialled = await entry.dialled;
      if ('failed' in dialled) {
        this.giveBack(key, entry);
        this.retire(key, entry);
        return dialled;
      }
      if (await dialled.isAlive()) return this.hold(key, entry, dialled);
      this.giveBack(key, entry);
      this.retire(key, entry);
      // What it carried is lost with it already.
      await dialled.close();
    }
    return { failed: 'connection_lost' };
  }

  /** How many connections there are, those that are being dialled included. */
  get count(): number {
    return this.entries.size;
  }

  /** Lets go of the connections of resources that are gone or others by now; their commands go on. */
  retireOutdated(resources: Readonly<Record<string, SshResource>>): void {
    for (const [key, entry] of this.entries) {
      const now = Object.hasOwn(resources, entry.name) ? resources[entry.name] : undefined;
      if (!isDeepStrictEqual(now, entry.resource)) this.retire(key, entry);
    }
  }

  /** Lets go of the connections of a Session that is over; how many there were. */
  release(session: string): number {
    const released = [...this.entries].filter(([, entry]) => entry.session === session);
    for (const [key, entry] of released) this.retire(key, entry);
    return released.length;
  }

  /** Ends every connection, with whatever it carries. */
  async close(): Promise<void> {
    this.closing = true;
    for (const [key, entry] of this.entries) this.retire(key, entry);
    await Promise.all([...this.leaving].map((entry) => this.end(entry)));
  }

  private entryOf(key: string, session: string, name: string, resource: SshResource): Entry {
    const known = this.entries.get(key);
    if (known !== undefined && isDeepStrictEqual(known.resource, resource)) return known;
    if (known !== undefined) this.retire(key, known);
    const dialled = this.options.dial(resource).catch((error: unknown): Dialled => {
      this.options.onFault(error);
      return { failed: 'unknown' };
    });
    const entry: Entry = { session, name, resource, dialled, users: 0, retired: false, idleTimer: null };
    this.entries.set(key, entry);
    return entry;
  }

  private hold(key: string, entry: Entry, connection: RemoteConnection): HeldConnection {
    let held = true;
    const giveBack = (): void => {
      if (held) this.giveBack(key, entry);
      held = false;
    };
    return {
      connection,
      giveBack,
      forget: () => {
        giveBack();
        this.retire(key, entry);
      },
    };
  }

  private giveBack(key: string, entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (entry.retired) {
      void this.end(entry);
      return;
    }
    entry.idleTimer = setTimeout(() => this.retire(key, entry), this.options.idleMs ?? IDLE_MS);
    entry.idleTimer.unref();
  }

  private retire(key: string, entry: Entry): void {
    if (entry.idleTimer !== null) clearTimeout(entry.idleTimer);
    if (this.entries.get(key) === entry) this.entries.delete(key);
    if (entry.retired) return;
    entry.retired = true;
    this.leaving.add(entry);
    if (entry.users === 0) void this.end(entry);
  }

  private async end(entry: Entry): Promise<void> {
    const dialled = await entry.dialled;
    if (!('failed' in dialled)) await dialled.close().catch(this.options.onFault);
    this.leaving.delete(entry);
  }
}
