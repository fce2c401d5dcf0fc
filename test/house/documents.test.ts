import { access, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

const documents = [
  ...(await readdir(root)).filter((name) => name.endsWith('.md')),
  ...(await readdir(join(root, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md')).map((name) => join('docs', name)),
].sort();

/** The targets of a page's links that lead into the repository. */
function localLinks(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target) && !target.startsWith('#'))
    .map((target) => target.replace(/#.*$/, ''));
}

describe.each(documents)('%s', (document) => {
  it('links only to files that exist', async () => {
    const text = await readFile(join(root, document), 'utf8');
    const broken: string[] = [];
    for (const target of localLinks(text)) {
      await access(join(root, dirname(document), target)).catch(() => broken.push(target));
    }
    expect(broken, relative(root, document)).toEqual([]);
  });
});
