import { mkdir, readdir, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { z } from 'zod';
import type { createFolderMethod } from '../../protocol/runner/project.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { isRefusal, refuse } from '../request.js';
import { parseAbsolutePath } from './absolute-path.js';
import { gitInit } from './git-init.js';
import { inspectFolder } from './inspect-folder.js';
import { templateFiles } from './templates.js';

type Request = z.output<typeof createFolderMethod.params>;
type Created = z.output<typeof createFolderMethod.result>;

/**
 * Makes the folder of a new project with its template's files, all or nothing: what
 * was made is taken away again when a later step fails. A folder with anything in it
 * is never touched.
 */
export async function createFolder(
  request: Request,
  environment: () => BaseEnvironment | Promise<BaseEnvironment>,
  signal: AbortSignal,
): Promise<Created | Refusal> {
  const parsed = parseAbsolutePath(request.path);
  if (isRefusal(parsed)) return parsed;
  const parent = await inspectFolder(dirname(parsed.absolute), request.allowed_roots);
  if (isRefusal(parent)) return parent;
  const path = join(parent.path, basename(parsed.absolute));
  const place = await takePlace(path, request.adopt_existing_empty);
  if (isRefusal(place)) return place;

  const made: string[] = [];
  const undo = async (): Promise<void> => {
    for (const entry of made.reverse()) await rm(entry, { recursive: true, force: true });
    if (place.created) await rmdir(path).catch(() => undefined);
  };
  try {
    const files = templateFiles(request.template, request.name);
    for (const [name, content] of files) {
      const file = join(path, name);
      await writeFile(file, content, { flag: 'wx' });
      made.push(file);
    }
    if (request.git_init) {
      made.push(join(path, '.git'));
      const refusal = await gitInit(path, await environment(), signal);
      if (refusal !== null) {
        await undo();
        return { refused: { ...refusal.refused, detail: { ...refusal.refused.detail, state_changed: false } } };
      }
    }
    const folder = await inspectFolder(path, request.allowed_roots);
    if (isRefusal(folder)) {
      await undo();
      return folder;
    }
    return { folder, created: place.created, files: [...files.keys()], git_initialized: request.git_init };
  } catch (error) {
    await undo();
    return refuse('io_error', `the project's files could not be written (${codeOf(error)}); nothing was kept`, {
      state_changed: false,
    });
  }
}

/** Makes the folder, or accepts the empty one that is there. */
async function takePlace(path: string, adoptEmpty: boolean): Promise<{ created: boolean } | Refusal> {
  try {
    await mkdir(path);
    return { created: true };
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      return refuse('permission_denied', `the folder could not be made (${codeOf(error)})`, { state_changed: false });
    }
  }
  try {
    // A link to an empty folder elsewhere would put the project somewhere else than asked.
    if (adoptEmpty && (await realpath(path)) === path && (await readdir(path)).length === 0) return { created: false };
  } catch {
    // What is no readable folder cannot be adopted.
  }
  return refuse(
    'already_exists',
    adoptEmpty
      ? 'only an empty folder can be adopted, and that path holds something'
      : 'that path exists already; register it with register_project, or set adopt_existing_empty for an empty folder',
    { state_changed: false },
  );
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
