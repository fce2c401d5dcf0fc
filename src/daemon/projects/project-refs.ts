import type { Database } from 'better-sqlite3';
import type { ProjectId, ProjectRef, RootFingerprint } from '../../protocol/ids.js';
import type { Principal } from '../kernel/principal.js';
import { OneAtATime } from '../one-at-a-time.js';
import type { CommitQueue } from '../storage/commit-queue.js';

/** What a ref is pinned to: the project and the very folder that it was. */
export interface PinnedRoot {
  readonly projectId: ProjectId;
  readonly rootFingerprint: RootFingerprint;
}

/** Something pinned, with the ref of the asking principal. */
export interface WithRef<Pin> {
  readonly project: Pin;
  readonly ref: ProjectRef;
}

/**
 * `~pN` refs: numbered for each principal from 1, the same pin always the same number,
 * a number never given out again. A ref leaves this folder only after its commit.
 */
export class ProjectRefs {
  private readonly select;
  private readonly numberOf;
  private readonly highest;
  private readonly insert;
  private readonly minting = new OneAtATime();

  constructor(
    database: Database,
    private readonly commits: CommitQueue,
  ) {
    this.select = database.prepare<[string, number], { project_id: string; root_fingerprint: string }>(
      'SELECT project_id, root_fingerprint FROM project_refs WHERE principal_key = ? AND number = ?',
    );
    this.numberOf = database
      .prepare<[string, string, string], number>(
        'SELECT number FROM project_refs WHERE principal_key = ? AND project_id = ? AND root_fingerprint = ?',
      )
      .pluck();
    this.highest = database
      .prepare<[string], number>('SELECT coalesce(max(number), 0) FROM project_refs WHERE principal_key = ?')
      .pluck();
    this.insert = database.prepare(
      'INSERT INTO project_refs (principal_key, number, project_id, root_fingerprint) VALUES (?, ?, ?, ?)',
    );
  }

  /** What this principal's ref of that number is pinned to, or null. */
  pin(number: number, principal: Principal): PinnedRoot | null {
    if (!Number.isSafeInteger(number)) return null;
    const row = this.select.get(principal.principalKey, number);
    return row === undefined
      ? null
      : { projectId: row.project_id as ProjectId, rootFingerprint: row.root_fingerprint as RootFingerprint };
  }

  /** The ref of one pin; see `withRefs`. */
  async refFor(pin: PinnedRoot, principal: Principal): Promise<ProjectRef> {
    const [made] = await this.withRefs([pin], principal);
    if (made === undefined) throw new Error('one pin has one ref');
    return made.ref;
  }

  /**
   * Each pin with its ref, in their order; a ref is made on its first use.
   *
   * @throws CommitFailedError when new ones could not be kept; none of them exists then
   */
  async withRefs<Pin extends PinnedRoot>(pins: readonly Pin[], principal: Principal): Promise<WithRef<Pin>[]> {
    const key = principal.principalKey;
    const known = (pin: PinnedRoot): number | undefined =>
      this.numberOf.get(key, pin.projectId, pin.rootFingerprint);
    if (pins.some((pin) => known(pin) === undefined)) {
      await this.minting.run(async () => {
        const missing = distinct(pins.filter((pin) => known(pin) === undefined));
        if (missing.length === 0) return;
        const last = this.highest.get(key) ?? 0;
        await this.commits.enqueue(() => {
          for (const [index, pin] of missing.entries()) {
            this.insert.run(key, last + 1 + index, pin.projectId, pin.rootFingerprint);
          }
        });
      });
    }
    return pins.map((pin) => {
      const number = known(pin);
      if (number === undefined) throw new Error('a committed project ref is not in the store');
      return { project: pin, ref: `~p${number}` as ProjectRef };
    });
  }
}

function distinct(pins: readonly PinnedRoot[]): PinnedRoot[] {
  return [...new Map(pins.map((pin) => [`${pin.projectId} ${pin.rootFingerprint}`, pin])).values()];
}
