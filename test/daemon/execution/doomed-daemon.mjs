/*
 * A daemon's side in a process of its own, to be killed: it reaches the Runner, makes
 * one request, says what came of it, and waits for its end.
 */
import { createRunnerLink } from '../../../dist/daemon/runner-link/index.js';
import { startExecutionMethod } from '../../../dist/protocol/runner/execution.js';

const { link: options, start } = JSON.parse(process.argv[2] ?? '{}');
const link = createRunnerLink({ ...options, log: () => undefined });
link.start();
const answer = await link.call(startExecutionMethod, start);
process.stdout.write(`${JSON.stringify({ runnerPid: link.state?.pid, jobId: answer.answer?.job?.job_id })}\n`);
setInterval(() => undefined, 60_000);
