import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { withConfig } from './git-environment.js';
import { gitBytes, type GitCall } from './run-git.js';
import type { WorkTree } from './work-tree.js';

/** What nothing but the objects may decide: no configuration, no attributes, no replaced objects. */
const NOTHING_ELSE = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
} as const;

/**
 * Lets git look at a repository's objects from a bare repository of our own, made for
 * this call: what two commits are is then the same whatever `.git/config`,
 * `.git/info/attributes`, a `.gitattributes` or a replace reference says (spec 04 §7.7).
 */
export async function inCleanRoom<Answer>(
  tree: WorkTree,
  look: (call: GitCall) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  const located = await gitBytes(tree.call, ['rev-parse', '--path-format=absolute', '--git-path', 'objects', '--git-path', 'shallow']);
  if (isRefusal(located)) return located;
  // Both are absolute, and the first one ends with its own name: a folder's name may hold a line break.
  const [, objects = '', shallow = ''] = /^(.*\/objects)\n(\/.*)\n$/s.exec(Buffer.from(located).toString('utf8')) ?? [];
  const room = await mkdtemp(join(tmpdir(), 'wc-git-'));
  try {
    await Promise.all([
      mkdir(join(room, 'refs')),
      mkdir(join(room, 'objects')),
      writeFile(join(room, 'HEAD'), 'ref: refs/heads/none\n'),
      writeFile(join(room, 'config'), configuration(tree.objectFormat)),
    ]);
    return await look({
      folder: room,
      signal: tree.call.signal,
      environment: {
        ...withConfig(tree.call.environment, [['core.attributesFile', '/dev/null']]),
        ...NOTHING_ELSE,
        GIT_DIR: room,
        GIT_OBJECT_DIRECTORY: objects,
        GIT_SHALLOW_FILE: shallow,
      },
    });
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

function configuration(objectFormat: string): string {
  const core = (version: number): string => `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n`;
  return objectFormat === 'sha1' ? core(0) : `${core(1)}[extensions]\n\tobjectFormat = ${objectFormat}\n`;
}
