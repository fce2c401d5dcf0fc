import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { Places } from '../places.js';

const PARALLEL_LOOKS = 4;

/**
 * Finds the folders under a searched place that have a repository, or a work tree, of
 * their own: what lies in them belongs to another project.
 */
export class NestedRepositories {
  private readonly known = new Map<string, Promise<boolean>>();
  private readonly looks = new Places(PARALLEL_LOOKS);

  /**
   * @param root the project's folder, absolute
   * @param searched the searched place, project-relative; it may itself be the top of a repository
   */
  constructor(
    private readonly root: string,
    private readonly searched: string,
  ) {}

  /** The records that lie in none of them. */
  async without<Found extends { readonly path: string }>(records: readonly Found[]): Promise<Found[]> {
    const isNested = await Promise.all(records.map(({ path }) => this.isInside(path)));
    return records.filter((_, index) => isNested[index] === false);
  }

  private async isInside(path: string): Promise<boolean> {
    for (let end = path.lastIndexOf('/'); end > this.searched.length; end = path.lastIndexOf('/', end - 1)) {
      if (await this.isTop(path.slice(0, end))) return true;
    }
    return false;
  }

  private isTop(folder: string): Promise<boolean> {
    let known = this.known.get(folder);
    if (known === undefined) {
      known = this.looks.run(() =>
        lstat(join(this.root, folder, '.git')).then(
          () => true,
          () => false,
        ),
      );
      this.known.set(folder, known);
    }
    return known;
  }
}
