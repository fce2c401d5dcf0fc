import type { z } from 'zod';
import type { startExecutionMethod } from '../../protocol/runner/execution.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { JobId } from '../../protocol/ids.js';
import type { ChildEnvironments } from '../environment/index.js';
import { isRefusal } from '../request.js';
import { programFile } from './program-file.js';
import { EXECUTION_VARIABLE } from './proven-group.js';
import type { PreparedExecution } from './running-execution.js';
import { workingFolder } from './working-folder.js';

export type ExecutionRequest = z.output<typeof startExecutionMethod.params>;

/** Looks at everything that a start needs; whatever is wrong means that nothing was started. */
export async function prepareExecution(
  environments: ChildEnvironments,
  request: ExecutionRequest,
  jobId: JobId,
): Promise<PreparedExecution | Refusal> {
  const cwd = await workingFolder(request.root, request.cwd);
  if (isRefusal(cwd)) return cwd;
  const env = await environments.forChild(request.environment, { PWD: cwd.path, [EXECUTION_VARIABLE]: jobId });
  const program = await programFile(request.program, env['PATH']);
  if (isRefusal(program)) return program;
  return { ...program, cwd, env, stdin: request.stdin, timeoutMs: request.timeout_ms };
}
