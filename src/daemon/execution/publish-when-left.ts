import { setTimeout as sleep } from 'node:timers/promises';
import { publishExecutionMethod } from '../../protocol/runner/execution.js';
import type { CallContext } from '../kernel/call-context.js';
import type { RunnerPort } from '../runner-link/index.js';
import { answerDueMs } from './hand-off.js';

/** Between two tries to publish an execution that has not started yet, in milliseconds. */
const RETRY_MS = 100;

/**
 * Makes an execution a Job when its caller vanishes, or when its answer is due although
 * the Runner was slow to start it (decisions 24 and 25). Gives back the function that
 * ends the watch; the start's own answer then says `handed_off`.
 */
export function publishWhenLeft(
  runner: RunnerPort,
  call: Pick<CallContext, 'disconnected' | 'answerWithinMs'>,
  executionId: string,
): () => void {
  const over = new AbortController();
  let publishing = false;
  const publish = async (reason: 'disconnected' | 'answer_due'): Promise<void> => {
    if (publishing) return;
    publishing = true;
    while (!over.signal.aborted) {
      const answer = await runner.call(publishExecutionMethod, { execution_id: executionId, reason }, { signal: over.signal });
      if ('failure' in answer || answer.answer.job !== null) return;
      await sleep(RETRY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  };
  const onDisconnect = (): void => void publish('disconnected');
  if (call.disconnected.aborted) onDisconnect();
  else call.disconnected.addEventListener('abort', onDisconnect, { once: true });
  const timer =
    call.answerWithinMs === null ? null : setTimeout(() => void publish('answer_due'), answerDueMs(call.answerWithinMs));
  return () => {
    over.abort();
    call.disconnected.removeEventListener('abort', onDisconnect);
    if (timer !== null) clearTimeout(timer);
  };
}
