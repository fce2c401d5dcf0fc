/**
 * Orders two release versions: negative when `a` is older than `b`, 0 when they are the
 * same release. A pre-release is older than its release; text that is no version is oldest.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (left.numbers[index] ?? -1) - (right.numbers[index] ?? -1);
    if (difference !== 0) return difference;
  }
  if (left.preRelease === right.preRelease) return 0;
  if (left.preRelease === '') return 1;
  if (right.preRelease === '') return -1;
  return left.preRelease < right.preRelease ? -1 : 1;
}

function parts(version: string): { readonly numbers: readonly number[]; readonly preRelease: string } {
  const match = /^(\d+)\.(\d+)\.(\d+)(?:-([^+]+))?/.exec(version);
  if (!match) return { numbers: [], preRelease: '' };
  return { numbers: match.slice(1, 4).map(Number), preRelease: match[4] ?? '' };
}
