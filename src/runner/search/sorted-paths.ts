/** Many paths, asked for by name and by folder. */
export class SortedPaths {
  private readonly paths: readonly string[];

  /** @param paths sorted as git sorts them, which is our order too but for rare names; not to be changed afterwards */
  constructor(paths: string[]) {
    this.paths = isSorted(paths) ? paths : paths.sort();
  }

  /** All of them. */
  get all(): readonly string[] {
    return this.paths;
  }

  /** The path itself, when it is one of them, and all that lie below it. */
  at(path: string): string[] {
    const found: string[] = [];
    if (this.paths[this.firstFrom(path)] === path) found.push(path);
    const folder = `${path}/`;
    for (let index = this.firstFrom(folder); this.paths[index]?.startsWith(folder) === true; index += 1) {
      found.push(this.paths[index] ?? '');
    }
    return found;
  }

  /** Where the first path stands that is not before `text`. */
  private firstFrom(text: string): number {
    let [low, high] = [0, this.paths.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.paths[middle] ?? '') < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isSorted(paths: readonly string[]): boolean {
  return paths.every((path, index) => index === 0 || (paths[index - 1] ?? '') <= path);
}
