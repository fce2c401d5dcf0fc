import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRootFingerprint } from '../../src/protocol/project-root-fingerprint.js';
import type { ProjectRoot } from '../../src/protocol/runner/project-root.js';
import type { RunnerRequest, RunnerService } from '../../src/runner/request.js';

/** A project in a folder of its own, under a base folder that a test may use for what lies outside. */
export interface TemporaryProject {
  readonly base: string;
  readonly folder: string;
  readonly root: ProjectRoot;
  path(relative: string): string;
  write(relative: string, content: string | Uint8Array): Promise<void>;
  read(relative: string): Promise<string>;
  /** Runs git in the project's folder with an identity, and gives back its stdout. */
  git(...args: string[]): string;
  remove(): Promise<void>;
}

export async function temporaryProject(): Promise<TemporaryProject> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'wc-project-')));
  const folder = join(base, 'project');
  await mkdir(folder);
  const path = (relative: string): string => join(folder, relative);
  return {
    base,
    folder,
    root: await rootOf(folder),
    path,
    async write(relative, content) {
      await mkdir(dirname(path(relative)), { recursive: true });
      await writeFile(path(relative), content);
    },
    read: (relative) => readFile(path(relative), 'utf8'),
    git: (...args) => gitIn(folder, ...args),
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

export async function rootOf(folder: string): Promise<ProjectRoot> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return { path: folder, fingerprint: projectRootFingerprint({ realpath: await realpath(folder), dev, ino }) };
}

export function gitIn(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Sends a request to the service of that method, as the wire would: parameters and answer are checked. */
export async function ask<Answer>(
  services: readonly RunnerService[],
  method: { readonly name: string; readonly result: { parse(answer: unknown): Answer } },
  params: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<Answer | { refused: { error_kind: string; message: string; detail: Record<string, unknown> } }> {
  const service = services.find((candidate) => candidate.method.name === method.name);
  if (service === undefined) throw new Error(`no service for ${method.name}`);
  const request: RunnerRequest<unknown> = {
    signal,
    disconnected: new AbortController().signal,
    note: () => true,
    drained: () => Promise.resolve(),
  };
  const answer = await service.handle(service.method.params.parse(params), request);
  if (typeof answer === 'object' && answer !== null && 'refused' in answer) {
    return answer as { refused: { error_kind: string; message: string; detail: Record<string, unknown> } };
  }
  return method.result.parse(answer);
}
