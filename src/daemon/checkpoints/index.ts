import type { Domain } from '../domain.js';
import type { RunnerPort } from '../runner-link/port.js';
import { createWorkspaceCheckpoint } from './tools/create-workspace-checkpoint.js';
import { deleteWorkspaceCheckpoint } from './tools/delete-workspace-checkpoint.js';
import { listWorkspaceCheckpoints } from './tools/list-workspace-checkpoints.js';
import { readWorkspaceCheckpoint } from './tools/read-workspace-checkpoint.js';
import { restoreWorkspaceCheckpoint } from './tools/restore-workspace-checkpoint.js';

export interface CheckpointsDeps {
  readonly runner: RunnerPort;
}

/** Checkpoints of a project's work tree; the Runner keeps them (spec 00, decision 17). */
export function createCheckpointsDomain({ runner }: CheckpointsDeps): Domain {
  return {
    name: 'checkpoints',
    tools: [
      createWorkspaceCheckpoint(runner),
      listWorkspaceCheckpoints(runner),
      readWorkspaceCheckpoint(runner),
      restoreWorkspaceCheckpoint(runner),
      deleteWorkspaceCheckpoint(runner),
    ],
  };
}
