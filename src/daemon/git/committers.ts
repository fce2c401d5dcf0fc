import type { ProjectId } from '../../protocol/ids.js';
import { LastWriters } from '../files/index.js';

type Committer = Parameters<LastWriters['wrote']>[3];

/** Remembers whose call made a commit; bounded, the oldest are forgotten. */
export class Committers {
  private readonly writers = new LastWriters();

  committed(project: ProjectId, commit: string, committer: Committer): void {
    this.writers.wrote(project, commit, commit, committer);
  }

  /** Who made exactly this commit, or null when it was nobody we know. */
  of(project: ProjectId, commit: string): Committer | null {
    return this.writers.of(project, commit, commit);
  }
}
