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
    const nested = new Set<string>();
    await Promise.all(
      [...new Set(records.map(({ path }) => folderOf(path)))].map(async (folder) => {
        if (await this.isInside(folder)) nested.add(folder);
      }),
    );
    return nested.size === 0 ? [...records] : records.filter(({ path }) => !nested.has(folderOf(path)));
  }

  private async isInside(folder: string): Promise<boolean> {
    for (let end = folder.length; end > this.searched.length; end = folder.lastIndexOf('/', end - 1)) {
      if (await this.isTop(folder.slice(0, end))) return true;
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

/** The folder of a project-relative path; `''` is the project's own. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
