import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses, type ProcessEntry } from './process-table.js';

/** From the first signal to the last look: no end takes longer (spec 03 §4). */
const END_WITHIN_MS = 1_000;
const FIRST_LOOK_MS = 2;
const LONGEST_LOOK_MS = 25;

/** What came of ending a tree. */
export interface TreeEnd {
  /** Processes that were alive when the end began. */
  readonly members: readonly number[];
  /** Those that could not be seen to end. */
  readonly survivors: readonly number[];
}

/**
 * The processes of one execution: the group that its first process leads, and further
 * groups in the same session (a shell with job control makes one a job).
 *
 * The first process was started as leader of its own session, so its pid names the
 * session and the group. The number is not used again while one of them lives; once
 * they are confirmed gone they are never signalled again.
 */
export class ProcessTree {
  private gone = false;

  constructor(
    readonly leader: number,
    private readonly list: () => Promise<readonly ProcessEntry[]> = () => processesOf(leader),
  ) {}

  /** A cheap look at the leader's group; a zombie that nobody reaped counts here. */
  get groupExists(): boolean {
    return !this.gone && signalGroup(this.leader, 0);
  }

  /** The pids that are alive, without zombies. */
  async members(): Promise<readonly number[]> {
    if (this.gone) return [];
    return (await this.alive()).map(({ pid }) => pid);
  }

  /** Waits until everything has ended by itself; false when something is left after `withinMs`. */
  async endsByItself(withinMs: number): Promise<boolean> {
    return this.waitUntilGone(performance.now() + withinMs);
  }

  /**
   * Ends the tree: SIGTERM, `graceMs`, SIGKILL, and a look until no member is left, one
   * second in all.
   */
  async end(graceMs: number): Promise<TreeEnd> {
    const startedAt = performance.now();
    const members = await this.signal('SIGTERM');
    if (members.length === 0) return { members, survivors: [] };
    if (await this.waitUntilGone(startedAt + graceMs)) return { members, survivors: [] };
    const deadline = startedAt + END_WITHIN_MS;
    // Again and again: a member may have started another one while it was being killed.
    for (;;) {
      const survivors = await this.signal('SIGKILL');
      const gone = await this.waitUntilGone(Math.min(deadline, performance.now() + LONGEST_LOOK_MS));
      if (gone || performance.now() >= deadline) return { members, survivors: gone ? [] : survivors };
    }
  }

  /** Signals every group of the tree, and names who was alive. */
  private async signal(signal: NodeJS.Signals): Promise<readonly number[]> {
    if (this.gone) return [];
    const alive = await this.alive();
    for (const group of new Set(alive.map((entry) => entry.group))) signalGroup(group, signal);
    if (alive.length === 0) this.gone = true;
    return alive.map(({ pid }) => pid);
  }

  private async waitUntilGone(deadline: number): Promise<boolean> {
    for (let pause = FIRST_LOOK_MS; !this.gone; pause = Math.min(2 * pause, LONGEST_LOOK_MS)) {
      if ((await this.members()).length === 0) this.gone = true;
      else if (performance.now() >= deadline) return false;
      else await sleep(Math.max(0, Math.min(pause, deadline - performance.now())));
    }
    return true;
  }

  private async alive(): Promise<readonly ProcessEntry[]> {
    return (await this.list()).filter((entry) => !entry.zombie && (entry.group === this.leader || entry.session === this.leader));
  }
}

/**
 * The processes of the machine. Where it cannot list them now, for want of descriptors,
 * the group of a leader that this very process started is known by its number all the same.
 */
async function processesOf(leader: number): Promise<readonly ProcessEntry[]> {
  try {
    return await listProcesses();
  } catch {
    return signalGroup(leader, 0) ? [{ pid: leader, group: leader, session: leader, zombie: false, startTime: '' }] : [];
  }
}

/** Whether the signal reached a group. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // EPERM: it exists, but became another user's (a set-user-id program).
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
