import { failure, type Failure } from '../../protocol/tool-result.js';
import { CommitFailedError } from '../storage/commit-queue.js';
import type { CallContext } from './call-context.js';
import { CallRefused } from './call-refused.js';
import type { HandlerOutcome, Tool } from './tool.js';

/** The last bound of a call over MCP, in milliseconds; its tools answer long before (spec 05 §7). */
const MCP_HARD_TIMEOUT_MS = 150_000;

/**
 * Step 12: domain code or the Runner. A fault of ours becomes an answer, with its text
 * in the log alone; a call that outlives the hard bound is answered as unknown.
 */
export async function runHandler(
  tool: Tool,
  input: Record<string, unknown>,
  call: CallContext,
  hooks: { readonly onFault: (error: unknown) => void; readonly hardTimeoutMs?: number },
): Promise<HandlerOutcome> {
  const running = guarded(tool, input, call, hooks.onFault);
  if (call.adapter !== 'mcp_legacy' && call.adapter !== 'mcp_2026') return running;
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<HandlerOutcome>((resolve) => {
    timer = setTimeout(() => resolve(hardTimeout(tool)), hooks.hardTimeoutMs ?? MCP_HARD_TIMEOUT_MS);
  });
  try {
    return await Promise.race([running, bound]);
  } finally {
    clearTimeout(timer);
  }
}

async function guarded(
  tool: Tool,
  input: Record<string, unknown>,
  call: CallContext,
  onFault: (error: unknown) => void,
): Promise<HandlerOutcome> {
  try {
    return await tool.run(input, call);
  } catch (error) {
    if (error instanceof CallRefused) return { result: error.failure };
    onFault(error);
    if (error instanceof CommitFailedError) return { result: notStored(error) };
    return {
      result: failure('internal_error', `wc failed inside ${tool.definition.name}; its log says how (wc daemon logs)`, {
        failure_kind: 'runtime_error',
        state_changed: tool.definition.effect === 'observe' ? false : null,
      }),
    };
  }
}

/** A store that takes no commit is the machine's state, not a fault of the tool. */
function notStored(error: CommitFailedError): Failure {
  return failure('storage_unavailable', `${error.message}; free space or repair the state folder, then try again`, {
    state_changed: false,
  });
}

function hardTimeout(tool: Tool): HandlerOutcome {
  return {
    result: failure('dispatch_hard_timeout', `${tool.definition.name} did not answer in time; observe before you repeat it`, {
      state_changed: tool.definition.effect === 'observe' ? false : null,
      ...(tool.definition.effect === 'observe' ? {} : { execution_state: 'outcome_unknown' }),
    }),
    ...(tool.definition.effect === 'observe'
      ? {}
      : { facts: { effect: { stateChanged: null, executionState: 'outcome_unknown' as const } } }),
  };
}
