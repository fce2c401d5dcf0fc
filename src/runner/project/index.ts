import {
  createFolderMethod,
  inspectFolderMethod,
  observeInstructionsMethod,
  receiptsMethod,
} from '../../protocol/runner/project.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { serve, type RunnerService } from '../request.js';
import { createFolder } from './create-folder.js';
import { inspectFolder } from './inspect-folder.js';
import { observeInstructions } from './observe-instructions.js';
import { receipts } from './receipts.js';

/** What project services need of the Runner. */
export interface ProjectServicesOptions {
  /** What git is started with: PATH, HOME and the like; asked when it is needed. */
  readonly environment: () => BaseEnvironment | Promise<BaseEnvironment>;
}

/** What the Runner knows of project folders: where they are, their instructions, receipts of outputs. */
export function createProjectServices({ environment }: ProjectServicesOptions): readonly RunnerService[] {
  return [
    serve(inspectFolderMethod, ({ path, allowed_roots }) => inspectFolder(path, allowed_roots)),
    serve(createFolderMethod, (request, { signal }) => createFolder(request, environment, signal)),
    serve(observeInstructionsMethod, ({ root }) => observeInstructions(root)),
    serve(receiptsMethod, ({ root, paths }) => receipts(root, paths)),
  ];
}
