import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'zx';

const FOLDERS = 250;
const FILES_A_FOLDER = 200;
const FILLER = 'export const other = 0;\n'.repeat(19);

export interface LargeRepository {
  /** Single ignored files in each folder beside the committed ones; default none. */
  readonly ignoredFilesAFolder?: number;
}

/** A Git repository of 50,000 committed files, each of a few lines. */
export async function largeRepository(path: string, { ignoredFilesAFolder = 0 }: LargeRepository = {}): Promise<string> {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const at = join(path, `folder-${folder}`);
    await mkdir(at, { recursive: true });
    await Promise.all([
      ...Array.from({ length: FILES_A_FOLDER }, (_, file) => writeFile(join(at, `${file}.ts`), `export const value = ${file};\n${FILLER}`)),
      ...Array.from({ length: ignoredFilesAFolder }, (_, file) => writeFile(join(at, `${file}.log`), 'made\n')),
    ]);
  }
  await writeFile(join(path, '.gitignore'), '*.log\n');
  const git = $({ cwd: path, quiet: true });
  await git`git init -q`;
  await git`git add -A`;
  await git`git -c user.name=bench -c user.email=bench@localhost commit -q -m base`;
  return path;
}
