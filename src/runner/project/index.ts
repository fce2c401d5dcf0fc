import {
  createFolderMethod,
  inspectFolderMethod,
  observeInstructionsMethod,
  receiptsMethod,
} from '../../protocol/runner/project.js';
import { serve, type RunnerService } from '../request.js';
import { createFolder } from './create-folder.js';
import { inspectFolder } from './inspect-folder.js';
import { observeInstructions } from './observe-instructions.js';
import { receipts } from './receipts.js';

/** What the Runner knows of project folders: where they are, their instructions, receipts of outputs. */
export const services: readonly RunnerService[] = [
  serve(inspectFolderMethod, ({ path, allowed_roots }) => inspectFolder(path, allowed_roots)),
  serve(createFolderMethod, (request) => createFolder(request)),
  serve(observeInstructionsMethod, ({ root }) => observeInstructions(root)),
  serve(receiptsMethod, ({ root, paths }) => receipts(root, paths)),
];
