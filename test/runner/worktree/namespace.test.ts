import { describe, expect, it } from 'vitest';
import { isBaseRef } from '../../../src/runner/worktree/base-commit.js';
import { conflictReason } from '../../../src/runner/worktree/create-worktree.js';
import { parseWorktrees } from '../../../src/runner/worktree/listed-worktrees.js';
import { namespaceFolder } from '../../../src/runner/worktree/namespace.js';

describe('the namespace of managed worktrees', () => {
  it('lies in the deepest allowed root that holds the source and is not inside it', () => {
    expect(namespaceFolder('/home/me/work/app', ['/home', '/home/me', '/srv'])).toBe('/home/me/.webcodex-worktrees');
    expect(namespaceFolder('/home/me/work/app', ['/home/me/work/app', '/home/me/work/app/part'])).toBeNull();
    expect(namespaceFolder('/home/me/work/app', ['/home/me/work/ap'])).toBeNull();
    expect(namespaceFolder('/app', ['/'])).toBe('/.webcodex-worktrees');
  });

  it('lies beside the source when nothing bounds the caller', () => {
    expect(namespaceFolder('/home/me/work/app', null)).toBe('/home/me/work/.webcodex-worktrees');
    expect(namespaceFolder('/home/me/.webcodex-worktrees/app-1', null)).toBe('/home/me/.webcodex-worktrees');
    expect(namespaceFolder('/', null)).toBeNull();
  });
});

describe('what can name a commit', () => {
  it.each(['HEAD', 'main', 'origin/main', 'v1.0.0', 'HEAD~3', 'main^', 'HEAD@{1}', 'main@{2 days ago}', '0a1b2c3d'])('%s', (ref) => {
    expect(isBaseRef(ref)).toBe(true);
  });
  it.each(['', '-f', '^main', 'a..b', 'a...b', 'a b', 'HEAD:x', ':/fix', 'a\nb', 'x'.repeat(1025)])('not %j', (ref) => {
    expect(isBaseRef(ref)).toBe(false);
  });
});

describe('the list of work trees', () => {
  const base = 'a'.repeat(40);
  const [main, ours, gone, half] = parseWorktrees(
    [
      `worktree /a b\0HEAD ${base}\0branch refs/heads/main\0\0`,
      `worktree /ns/x\nY\0HEAD ${base}\0detached\0\0`,
      `worktree /ns/gone\0HEAD ${base}\0detached\0prunable gitdir file points to non-existent location\0\0`,
      `worktree /ns/half\0HEAD ${base}\0detached\0locked initializing\0\0`,
    ].join(''),
  );

  it('is read whatever the paths hold', () => {
    expect(main).toEqual({ path: '/a b', head: base, branch: 'refs/heads/main', locked: null, prunable: false });
    expect(ours).toEqual({ path: '/ns/x\nY', head: base, branch: null, locked: null, prunable: false });
  });

  it('says whether an earlier attempt can be taken up', () => {
    expect(conflictReason(ours, base)).toBeNull();
    expect(conflictReason(ours, 'b'.repeat(40))).toBe('head_moved');
    expect(conflictReason(gone, base)).toBe('not_listed');
    expect(conflictReason(half, base)).toBe('being_made');
    expect(conflictReason(undefined, base)).toBe('not_listed');
  });
});
