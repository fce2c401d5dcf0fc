import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { automaticShortIds, projectIdOf } from '../../../src/daemon/projects/project-id.js';
import { parseProjectId } from '../../../src/protocol/ids.js';

describe('the automatic ids of a folder', () => {
  it('are ids, distinct, and the same for the same path, whatever it is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const ids = automaticShortIds(`/home/me/${name}`).map(projectIdOf);
        expect(ids.map((id) => parseProjectId(id))).toEqual(ids);
        expect(new Set(ids).size).toBe(9);
        expect(automaticShortIds(`/home/me/${name}`).map(projectIdOf)).toEqual(ids);
      }),
    );
  });

  it('keep a plain name as it is, dots included, and replace a name that is none', () => {
    const first = (path: string): string | undefined => automaticShortIds(path)[0];
    expect(first('/srv/my.app_2-x')).toBe('my.app_2-x');
    expect(first('/home/me/.dotfiles')).toBe('.dotfiles');
    expect(first('/srv/...')).toBe('project');
    expect(first('/')).toBe('project');
    expect(first('/srv/--- ---')).toBe('project');
  });
});
