import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryProject, type TemporaryProject } from '../runner/temporary-project.js';

let template: Promise<TemporaryProject> | undefined;

async function makeTemplate(): Promise<TemporaryProject> {
  const project = await temporaryProject();
  project.git('init', '--quiet');
  await project.write('a.txt', 'a\n');
  project.git('add', '.');
  project.git('commit', '--quiet', '-m', 'one');
  return project;
}

/** A repository with one commit of `a.txt` on `main`; made once for a test file, then copied. */
export async function temporaryRepository(): Promise<TemporaryProject> {
  template ??= makeTemplate();
  const [made, project] = await Promise.all([template, temporaryProject()]);
  await cp(join(made.folder, '.git'), project.path('.git'), { recursive: true });
  await project.write('a.txt', 'a\n');
  return project;
}
