import type { z } from 'zod';
import type { startExecutionMethod } from '../../protocol/runner/execution.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { JobId } from '../../protocol/ids.js';
import type { ChildEnvironments } from '../environment/index.js';
import type { CurrentSettings } from '../policy/current-settings.js';
import { refuseRawProgram } from '../policy/start-policy.js';
import { isRefusal } from '../request.js';
import { programFile } from './program-file.js';
import { EXECUTION_VARIABLE } from './proven-group.js';
import type { PreparedExecution } from './running-execution.js';
import { workingFolder } from './working-folder.js';

export type ExecutionRequest = z.output<typeof startExecutionMethod.params>;

export interface PrepareParts {
  readonly environments: ChildEnvironments;
  readonly settings: CurrentSettings;
  /** The private folder of this Runner's life, where a script is written down. */
  readonly folder: string;
}

/** Looks at everything that a start needs; whatever is wrong means that nothing was started. */
export async function prepareExecution(
  { environments, settings, folder }: PrepareParts,
  request: ExecutionRequest,
  jobId: JobId,
): Promise<PreparedExecution | Refusal> {
  const denied = refuseRawProgram(settings.value, request.source);
  if (denied !== null) return denied;
  const cwd = await workingFolder(request.root, request.cwd, settings.value);
  if (isRefusal(cwd)) return cwd;
  const own = { PWD: cwd.path, [EXECUTION_VARIABLE]: jobId };
  const env = await environments.forCommand({ project: request.project, root: cwd.root }, request.environment, own);
  if (isRefusal(env)) return env;
  const program = await programFile(request.program, { cwd: cwd.path, env }, folder);
  if (isRefusal(program)) return program;
  return { ...program, cwd, env, stdin: request.stdin, timeoutMs: request.timeout_ms };
}
