import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import type { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishExecutionMethod, readOutputMethod } from '../../../src/protocol/runner/execution.js';
import { awaitJobsMethod, getJobMethod, listJobsMethod, observeJobsMethod, stopJobMethod } from '../../../src/protocol/runner/jobs.js';
import { isRefusal } from '../../../src/runner/request.js';
import { executionHouse, isRunning, observe, observed, refused, until, type ExecutionHouse } from './execution-house.js';

let house: ExecutionHouse;
beforeAll(async () => {
  house = await executionHouse({ maxConcurrentJobs: 64 });
});
afterAll(() => house.close());

const program = (command: string): { kind: 'shell'; command: string; shell: 'bash' } => ({ kind: 'shell', command, shell: 'bash' });
/** A command that waits until the test has written a file of the project. */
const awaits = (file: string): string => `until [ -e ${file} ]; do sleep 0.02; done`;
const lines = async (file: string): Promise<string[]> => (await house.project.read(file).catch(() => '')).split('\n').filter(Boolean);

describe('hand-off', () => {
  it('[03-A5] a command that outlives its grace goes on as the same process and ends as a Job', async () => {
    const command = `echo start >>starts; echo $$; ${awaits('handed-off')}; echo $$ end`;
    const started = await house.start({ program: program(command), hand_off_after_ms: 200 });
    if (isRefusal(started) || started.outcome !== 'handed_off') throw new Error('it was not handed off');
    expect(started.job).toMatchObject({ status: 'running', execution_state: 'running', outcome: null, published_after_disconnect: false });
    await house.project.write('handed-off', '');
    const job = await house.ended(started.job.job_id);
    expect(job).toMatchObject({ status: 'completed', execution_state: 'completed', outcome: 'succeeded', exit_code: 0 });
    const { stdout, log_delta_status } = observed(await observe(house, job.job_id, { after: started.cursor }));
    const [pid] = stdout.text.split('\n');
    expect(stdout.text).toBe(`${pid}\n${pid} end\n`);
    expect(log_delta_status).toBe('delta');
    expect(await lines('starts')).toEqual(['start']);
  });

  it('same-process hand-off: the side effect happens once', async () => {
    const started = await house.start({ program: program(`${awaits('may-take-effect')}; echo once >>effects`), hand_off_after_ms: 50 });
    if (isRefusal(started) || started.outcome !== 'handed_off') throw new Error('it was not handed off');
    await house.project.write('may-take-effect', '');
    await house.ended(started.job.job_id);
    expect(await lines('effects')).toEqual(['once']);
  });

  it('what ends within the grace is an ordinary result and no Job', async () => {
    const started = await house.start({ program: program('echo quick'), hand_off_after_ms: 10_000, project: 'agent:local:quick' });
    expect(started).toMatchObject({ outcome: 'finished', report: { stdout: { text: 'quick\n' } } });
    const listed = await house.ask(listJobsMethod, { status: null, project: 'agent:local:quick', session_id: null, limit: 10 });
    expect(listed).toEqual({ jobs: [], matched: 0 });
  });

  it('a caller that vanishes leaves a Job that says so; a cancel after that changes nothing', async () => {
    const gone = new AbortController();
    const cancel = new AbortController();
    const command = `touch left-behind; ${awaits('cancelled-late')}; echo survived`;
    const starting = house.start({ program: program(command) }, { disconnected: gone.signal, signal: cancel.signal });
    await until('it runs', () => house.project.read('left-behind').then(() => true, () => null));
    gone.abort();
    const started = await starting;
    if (isRefusal(started) || started.outcome !== 'handed_off') throw new Error('it was not handed off');
    cancel.abort();
    await house.project.write('cancelled-late', '');
    expect(started.job.published_after_disconnect).toBe(true);
    expect(await house.ended(started.job.job_id)).toMatchObject({ status: 'completed', published_after_disconnect: true, stdout: { bytes: 9 } });
  });

  it('the daemon can publish a running execution at any time', async () => {
    const execution_id = randomUUID();
    const starting = house.start({ program: program(awaits('published')), execution_id });
    const published = await until('the execution is published', async () => {
      const answer = await house.ask(publishExecutionMethod, { execution_id, reason: 'answer_due' });
      return isRefusal(answer) ? null : answer.job;
    });
    const started = await starting;
    expect(started).toMatchObject({ outcome: 'handed_off', job: { job_id: published.job_id, published_after_disconnect: false } });
    await house.project.write('published', '');
    await house.ended(published.job_id);
    expect(await house.ask(publishExecutionMethod, { execution_id, reason: 'answer_due' })).toEqual({ job: null });
  });
});

describe('live output', () => {
  it('is sent as it comes, whole characters only, before the answer', async () => {
    const notes: string[] = [];
    const command = "printf 'a\\303'; sleep 0.1; printf '\\244b\\n'; sleep 0.1; echo err >&2";
    const report = await house.shell(command, { stream_output: true }, { onNote: ({ stream, text }) => notes.push(`${stream}:${text}`) > 0 });
    expect(notes).toEqual(['stdout:a', 'stdout:äb\n', 'stderr:err\n']);
    expect(report.stdout.text).toBe('aäb\n');
  });

  it('a listener that is behind slows the command down and misses nothing', async () => {
    let received = 0;
    let most = 0;
    let owed = 0;
    const report = await house.shell(
      'head -c 5000000 /dev/zero | tr "\\0" x',
      { stream_output: true },
      {
        onNote: ({ text }) => {
          received += text.length;
          owed += text.length;
          most = Math.max(most, owed);
          return false;
        },
        drained: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          owed = 0;
        },
      },
    );
    expect(report.stdout.bytes).toBe(5_000_000);
    expect(received).toBe(5_000_000);
    expect(most).toBeLessThan(2_000_000);
  });
});

describe('slots and bounds', () => {
  it('[03-A8] with one slot the second Job waits, runs later under its id, or is stopped unstarted', async () => {
    const narrow = await executionHouse({ maxConcurrentJobs: 1 });
    try {
      const first = await narrow.job(awaits('slot-is-free'));
      const second = await narrow.job('echo second');
      const third = await narrow.job('touch third');
      expect([first.status, second.status, third.status]).toEqual(['running', 'agent_queued', 'agent_queued']);
      expect(second).toMatchObject({ execution_state: 'queued', started_at_ms: null });
      const stopped = await narrow.ask(stopJobMethod, { job_id: third.job_id });
      expect(stopped).toMatchObject({ stop_effect: 'stopped', job: { status: 'stopped', execution_state: 'not_started', outcome: 'cancelled' } });
      await narrow.project.write('slot-is-free', '');
      const ended = await narrow.ended(second.job_id);
      expect(ended).toMatchObject({ job_id: second.job_id, status: 'completed', stdout: { bytes: 7 } });
      expect(ended.started_at_ms).toBeGreaterThanOrEqual((await narrow.ended(first.job_id)).finished_at_ms ?? Infinity);
      await expect(narrow.project.read('third')).rejects.toThrow('ENOENT');
    } finally {
      await narrow.close();
    }
  });

  it('a command in the foreground does not wait for a slot', async () => {
    const narrow = await executionHouse({ maxConcurrentJobs: 1 });
    try {
      await narrow.job('sleep 30');
      expect(await narrow.shell('echo at once')).toMatchObject({ exit_code: 0 });
    } finally {
      await narrow.close();
    }
  });

  it('a Job that cannot start when its turn comes has failed and never started', async () => {
    const narrow = await executionHouse({ maxConcurrentJobs: 1 });
    try {
      const first = await narrow.job(awaits('slot-is-free'));
      const second = await narrow.job('', { program: { kind: 'process', executable: 'no-such-program', args: [] } });
      expect(second.status).toBe('agent_queued');
      await narrow.project.write('slot-is-free', '');
      await narrow.ended(first.job_id);
      expect(await narrow.ended(second.job_id)).toMatchObject({
        status: 'failed',
        execution_state: 'not_started',
        failure_kind: 'spawn_failed',
        tool_failure: true,
      });
    } finally {
      await narrow.close();
    }
  });

  it('a Job that cannot start at once is a refusal and no Job', async () => {
    const answer = await house.start({ program: { kind: 'process', executable: 'no-such-program', args: [] }, mode: 'job', project: 'agent:local:none' });
    expect(refused(answer)).toMatchObject({ error_kind: 'spawn_failed', detail: { execution_state: 'not_started' } });
    expect(await house.ask(listJobsMethod, { status: null, project: 'agent:local:none', session_id: null, limit: 10 })).toEqual({ jobs: [], matched: 0 });
  });

  it('[03-A9] the 65th active Job is refused, the 65th ended one evicts the oldest', async () => {
    const narrow = await executionHouse({ maxConcurrentJobs: 1 });
    try {
      const first = await narrow.job(awaits('slot-is-free'));
      const others = [];
      for (let count = 0; count < 63; count++) others.push(await narrow.job('true'));
      const refusedStart = await narrow.start({ program: program('true'), mode: 'job' });
      expect(refused(refusedStart)).toMatchObject({ error_kind: 'job_limit_reached', detail: { execution_state: 'not_started' } });
      await narrow.project.write('slot-is-free', '');
      await narrow.ended(others.at(-1)?.job_id ?? '');
      const last = await narrow.job('true');
      await narrow.ended(last.job_id);
      expect(refused(await narrow.ask(getJobMethod, { job_id: first.job_id }))).toMatchObject({ error_kind: 'unknown_job' });
      const listed = await narrow.ask(listJobsMethod, { status: 'completed', project: null, session_id: null, limit: 128 });
      expect(listed).toMatchObject({ matched: 64 });
    } finally {
      await narrow.close();
    }
  });
});

describe('stop', () => {
  it('[03-A10] a stop ends the tree; a second one finds it finished', async () => {
    const job = await house.job('trap "exit 0" TERM; sleep 60 & echo $! >stopped.pid; wait');
    const pid = await until('the pid is written', async () => Number((await lines('stopped.pid'))[0]) || null);
    expect(await house.ask(stopJobMethod, { job_id: job.job_id })).toMatchObject({
      stop_effect: 'stopped',
      job: { status: 'stopped', execution_state: 'cancelled', outcome: 'cancelled', failure_kind: 'cancelled', exit_code: 0 },
    });
    expect(await isRunning(pid)).toBe(false);
    expect(await house.ask(stopJobMethod, { job_id: job.job_id })).toMatchObject({ stop_effect: 'already_finished', job: { status: 'stopped' } });
    expect(refused(await house.ask(stopJobMethod, { job_id: 'wc_job_none' }))).toMatchObject({ error_kind: 'unknown_job' });
  });

  it('a stop that is under way is not asked for again', async () => {
    const job = await house.job('trap "" TERM; sleep 60; sleep 60');
    await until('the trap is set', async () => ((await house.view(job.job_id)).status === 'running' ? true : null));
    const [first, second] = await Promise.all([
      house.ask(stopJobMethod, { job_id: job.job_id }),
      house.ask(stopJobMethod, { job_id: job.job_id }),
    ]);
    expect([first, second].map((answer) => 'stop_effect' in answer && answer.stop_effect)).toEqual(['stopped', 'already_stop_requested']);
  });
});

describe('observation', () => {
  it('[03-A11] an unknown Job is an error of its item alone', async () => {
    const job = await house.job('echo here');
    await house.ended(job.job_id);
    const answer = await house.ask(observeJobsMethod, {
      items: [
        { job_id: 'wc_job_none', after: null, reset: false },
        { job_id: job.job_id, after: null, reset: false },
      ],
      tail_lines: 40,
      wait_ms: 0,
      wake_on: 'change',
    });
    expect(answer).toMatchObject({
      wake_reason: 'immediate',
      items: [{ job_id: 'wc_job_none', error_kind: 'unknown_job' }, { log_delta_status: 'baseline', stdout: { text: 'here\n' } }],
    });
  });

  it('deltas follow each other without a gap, and nothing new is unchanged', async () => {
    const job = await house.job('for i in $(seq 1 6); do echo line $i; sleep 0.08; done; printf partial');
    let after: ReturnType<typeof observed>['cursor'] = { instance: house.instance, update_seq: job.update_seq, next_stdout_line: 1, next_stderr_line: 1 };
    let text = '';
    for (let ended = false; !ended; ) {
      const item = observed(await observe(house, job.job_id, { after, wait_ms: 5_000, wake_on: 'meaningful_change' }));
      if (item.log_delta_status === 'delta') text += item.stdout.text;
      after = item.cursor;
      ended = item.job.outcome !== null;
    }
    expect(text).toBe('line 1\nline 2\nline 3\nline 4\nline 5\nline 6\npartial');
    const again = observed(await observe(house, job.job_id, { after }));
    expect(again).toMatchObject({ log_delta_status: 'delta', stdout: { text: 'partial', first_line: 7, last_line: 7 } });
  });

  it('an end wakes who waits for it, once', async () => {
    const job = await house.job('sleep 0.2');
    const answer = await observe(house, job.job_id, { wait_ms: 10_000, wake_on: 'terminal' });
    expect(answer.wake_reason).toBe('terminal');
    expect(answer.waited_ms).toBeLessThan(5_000);
  });

  it('a wait without news ends at its deadline', async () => {
    const job = await house.job('sleep 20');
    const { cursor } = observed(await observe(house, job.job_id));
    const answer = await observe(house, job.job_id, { after: cursor, wait_ms: 150, wake_on: 'change' });
    expect(answer.wake_reason).toBe('timeout');
    expect(observed(answer).log_delta_status).toBe('unchanged');
    await house.ask(stopJobMethod, { job_id: job.job_id });
  });

  it('an unterminated line is a change but not a meaningful one', async () => {
    const job = await house.job(`${awaits('may-ask')}; printf prompt; sleep 20`);
    const { cursor } = observed(await observe(house, job.job_id));
    const meaningful = observe(house, job.job_id, { after: cursor, wait_ms: 800, wake_on: 'meaningful_change' });
    const changing = observe(house, job.job_id, { after: cursor, wait_ms: 5_000, wake_on: 'change' });
    await house.project.write('may-ask', '');
    const change = await changing;
    expect(change.wake_reason).toBe('updated');
    expect(observed(change).stdout.text).toBe('prompt');
    expect((await meaningful).wake_reason).toBe('timeout');
    await house.ask(stopJobMethod, { job_id: job.job_id });
  });

  it('all_terminal waits for the last one', async () => {
    const quick = await house.job('true');
    const slow = await house.job('sleep 0.4');
    const after = { instance: house.instance, update_seq: 1, next_stdout_line: 1, next_stderr_line: 1 };
    const answer = await house.ask(observeJobsMethod, {
      items: [quick, slow].map(({ job_id }) => ({ job_id, after, reset: false })),
      tail_lines: 1,
      wait_ms: 10_000,
      wake_on: 'all_terminal',
    });
    expect(answer).toMatchObject({ wake_reason: 'terminal', items: [{ job: { outcome: 'succeeded' } }, { job: { outcome: 'succeeded' } }] });
  });

  it('token epochs: a cursor of another life is a reset, and so is one of another epoch of the daemon', async () => {
    const job = await house.job('echo kept');
    await house.ended(job.job_id);
    const { cursor } = observed(await observe(house, job.job_id));
    const foreign = observed(await observe(house, job.job_id, { after: { ...cursor, instance: 'ffffffff' } }));
    expect(foreign).toMatchObject({ log_delta_status: 'reset', stdout: { text: 'kept\n' } });
    const epoch = await house.ask(observeJobsMethod, {
      items: [{ job_id: job.job_id, after: cursor, reset: true }],
      tail_lines: 40,
      wait_ms: 5_000,
      wake_on: 'change',
    });
    expect(epoch).toMatchObject({ wake_reason: 'immediate', items: [{ log_delta_status: 'reset' }] });
  });

  it('more than can be shown is a reset that counts what it leaves out', async () => {
    const job = await house.job('seq 1 1000');
    await house.ended(job.job_id);
    const item = observed(await observe(house, job.job_id, { tail_lines: 10 }));
    expect(item).toMatchObject({ log_delta_status: 'reset', skipped_lines: 990, stdout: { first_line: 991, last_line: 1_000 }, cursor: { next_stdout_line: 1_001 } });
    expect(item.stdout.text.split('\n')[0]).toBe('991');
  });
});

describe('readiness', () => {
  const awaitReady = (jobIds: string[], params: Partial<z.input<typeof awaitJobsMethod.params>> = {}) =>
    house.ask(awaitJobsMethod, { job_ids: jobIds, mode: 'any', wait_ms: 10_000, ready_when: null, ...params });
  const when = { output_literal: null, output_regex: null, tcp_port: null };

  it('[03-A14] any: the one that ended is ready, the other is pending', async () => {
    const a = await house.job('sleep 0.2');
    const b = await house.job('sleep 20');
    expect(await awaitReady([a.job_id, b.job_id])).toMatchObject({
      wait_state: 'ready',
      ready: [{ job_id: a.job_id, status: 'completed', outcome: 'succeeded', ready_reason: 'terminal' }],
      pending_job_ids: [b.job_id],
    });
    expect(await awaitReady([a.job_id, b.job_id], { mode: 'all', wait_ms: 100 })).toMatchObject({ wait_state: 'deadline', pending_job_ids: [b.job_id] });
    await house.ask(stopJobMethod, { job_id: b.job_id });
  });

  it('one unknown Job fails the call before any wait', async () => {
    const job = await house.job('sleep 5');
    expect(refused(await awaitReady([job.job_id, 'wc_job_none']))).toMatchObject({ error_kind: 'unknown_job' });
    await house.ask(stopJobMethod, { job_id: job.job_id });
  });

  it('a literal counts wherever it stands, before and after the wait began', async () => {
    const job = await house.job('printf "server is rea"; sleep 0.2; printf "dy now"; sleep 20');
    const ready = { wait_state: 'ready', ready: [{ job_id: job.job_id, status: 'running', outcome: null, ready_reason: 'output' }] };
    expect(await awaitReady([job.job_id], { ready_when: { ...when, output_literal: 'is ready' } })).toMatchObject(ready);
    expect(await awaitReady([job.job_id], { ready_when: { ...when, output_literal: 'is ready' } })).toMatchObject(ready);
    await house.ask(stopJobMethod, { job_id: job.job_id });
  });

  it('an expression is matched line by line; a bad or slow one is refused', async () => {
    const job = await house.job('echo "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"; echo "listening on 4711" >&2; sleep 20');
    expect(await awaitReady([job.job_id], { ready_when: { ...when, output_regex: '^listening on \\d+$' } })).toMatchObject({ wait_state: 'ready' });
    expect(refused(await awaitReady([job.job_id], { ready_when: { ...when, output_regex: '(' } }))).toMatchObject({ error_kind: 'invalid_pattern' });
    expect(refused(await awaitReady([job.job_id], { ready_when: { ...when, output_regex: '^(a+)+$' } }))).toMatchObject({ error_kind: 'invalid_pattern' });
    await house.ask(stopJobMethod, { job_id: job.job_id });
  });

  it('a port that somebody else listens on all along does not count, its own later one does', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)));
    // In a session of its own it is out of a stop's reach, and the Job's all the same.
    const listen = `require('node:fs').writeFileSync('server.pid', String(process.pid)); require('node:net').createServer().listen(${port}, '127.0.0.1')`;
    const job = await house.job(`while [ ! -e go ]; do sleep 0.02; done; exec setsid --fork --wait "${process.execPath}" -e "${listen}"`);
    expect(await awaitReady([job.job_id], { ready_when: { ...when, tcp_port: port }, wait_ms: 600 })).toMatchObject({ wait_state: 'deadline' });
    await new Promise((resolve) => server.close(resolve));
    await house.project.write('go', '');
    expect(await awaitReady([job.job_id], { ready_when: { ...when, tcp_port: port } })).toMatchObject({ wait_state: 'ready', ready: [{ ready_reason: 'port' }] });
    process.kill(Number(await house.project.read('server.pid')));
    await house.ask(stopJobMethod, { job_id: job.job_id });
  });

  it('a port counts when something listens on it', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)));
    await new Promise((resolve) => server.close(resolve));
    const script = `setTimeout(() => require('node:net').createServer().listen(${port}, '127.0.0.1'), 300)`;
    const job = await house.job('', { program: { kind: 'process', executable: process.execPath, args: ['-e', script] } });
    expect(await awaitReady([job.job_id], { ready_when: { ...when, tcp_port: port } })).toMatchObject({ wait_state: 'ready', ready: [{ ready_reason: 'port' }] });
    await house.ask(stopJobMethod, { job_id: job.job_id });
  });
});

describe('the whole output', () => {
  it('a line far before the tail is read back without a second run', async () => {
    const report = await house.shell('for i in $(seq 1 5000); do [ $i = 3 ] && echo "the error" || echo "line $i of a long log"; done');
    expect(report.stdout).toMatchObject({ lines: 5_000, truncated: true, last_line: 5_000, starts_mid_line: false });
    expect(report.stdout.text.length).toBeLessThanOrEqual(12_000);
    const read = await house.ask(readOutputMethod, { of: { output_id: report.output_id }, stream: 'stdout', start_line: 3, skip_bytes: 0, limit: 1, max_bytes: 65_536 });
    expect(read).toMatchObject({ text: 'the error\n', first_line: 3, last_line: 3, next: { start_line: 4, skip_bytes: 0 }, ended: true, total_lines: 5_000, dropped: null });
  });

  it('a Job that runs can be read too', async () => {
    const job = await house.job('seq 1 10; sleep 20');
    const read = await until('ten lines', async () => {
      const answer = await house.ask(readOutputMethod, { of: { job_id: job.job_id }, stream: 'stdout', start_line: 9, skip_bytes: 0, limit: 5, max_bytes: 65_536 });
      return 'text' in answer && answer.total_lines === 10 ? answer : null;
    });
    expect(read).toMatchObject({ text: '9\n10\n', next: null, ended: false });
    await house.ask(stopJobMethod, { job_id: job.job_id });
  });

  it('what is over the bound loses its middle, counted', async () => {
    const small = await executionHouse({ spoolMaxBytes: 1_024 * 1_024 });
    try {
      const report = await small.shell('yes 0123456789012345678901234567890123456789012345678901234567 | head -c 5900000');
      const { bytes, lines: count, dropped_bytes } = report.stdout;
      expect([bytes, count]).toEqual([5_900_000, 100_000]);
      expect(dropped_bytes).toBeGreaterThanOrEqual(5_900_000 - 1_024 * 1_024);
      const first = await small.ask(readOutputMethod, { of: { output_id: report.output_id }, stream: 'stdout', start_line: 1, skip_bytes: 0, limit: 1, max_bytes: 1_024 });
      expect(first).toMatchObject({ text: `${'0123456789'.repeat(5)}01234567\n`, dropped: { bytes: dropped_bytes } });
      const last = await small.ask(readOutputMethod, { of: { output_id: report.output_id }, stream: 'stdout', start_line: 100_000, skip_bytes: 0, limit: 10, max_bytes: 1_024 });
      expect(last).toMatchObject({ first_line: 100_000, last_line: 100_000, next: null });
    } finally {
      await small.close();
    }
  });

  it('UTF-8 cut: the tail never begins inside a character', async () => {
    const report = await house.shell('for i in $(seq 1 2000); do printf "ä€😀x"; done; printf "\\377\\376"');
    expect([...report.stdout.text].length).toBeLessThanOrEqual(12_000);
    expect(report.stdout.text).toMatch(/^[ä€😀x]+\uFFFD\uFFFD$/u);
    expect(report.stdout).toMatchObject({ bytes: 20_002, lossy: true, lines: 1 });
    const long = await house.shell('for i in $(seq 1 8000); do printf "ä€😀x"; done');
    expect(long.stdout).toMatchObject({ bytes: 80_000, truncated: true, starts_mid_line: true, lossy: false });
    expect([...long.stdout.text].length).toBeLessThanOrEqual(12_000);
    expect(long.stdout.text).not.toContain('\uFFFD');
  });

  it('ten megabytes without a newline are one line, read in parts', async () => {
    const report = await house.shell('head -c 10000000 /dev/zero | tr "\\0" z');
    expect(report.stdout).toMatchObject({ bytes: 10_000_000, lines: 1, first_line: 1, last_line: 1, starts_mid_line: true, truncated: true });
    expect(report.stdout.text).toBe('z'.repeat(12_000));
    let at = { start_line: 1, skip_bytes: 0 };
    let total = 0;
    for (;;) {
      const read = await house.ask(readOutputMethod, { of: { output_id: report.output_id }, stream: 'stdout', ...at, limit: 10, max_bytes: 1_024 * 1_024 });
      if (isRefusal(read)) throw new Error(read.refused.message);
      total += read.text.length;
      if (read.next === null) break;
      at = read.next;
    }
    expect(total).toBe(10_000_000);
  });

  it('binary output harms nobody', async () => {
    const report = await house.shell('head -c 300000 /dev/urandom');
    expect(report).toMatchObject({ exit_code: 0, stdout: { bytes: 300_000, lossy: true } });
    expect([...report.stdout.text].length).toBeLessThanOrEqual(12_000);
  });

  it('nothing is known of an output that never was', async () => {
    const read = await house.ask(readOutputMethod, { of: { output_id: 'wc_out_none' }, stream: 'stdout', start_line: 1, skip_bytes: 0, limit: 1, max_bytes: 1_024 });
    expect(refused(read)).toMatchObject({ error_kind: 'unknown_output_id' });
  });
});

describe('shutdown', () => {
  it('ends what runs, drops what waits, and starts nothing more', async () => {
    const ending = await executionHouse({ maxConcurrentJobs: 1 });
    const running = await ending.job('echo $$ >running.pid; trap "" TERM; sleep 60');
    await ending.job('touch never');
    const pid = await until('the Job runs', async () => Number(await ending.project.read('running.pid').catch(() => '')) || null);
    const waiting = ending.shell('touch begun; sleep 60');
    await until('the command runs', async () => ending.project.read('begun').catch(() => null).then((text) => (text === '' ? true : null)));
    const ended = await ending.execution.shutdown();
    expect(ended.ended_jobs).toBe(2);
    expect(await waiting).toMatchObject({ execution_state: 'cancelled' });
    expect(await isRunning(pid)).toBe(false);
    expect(running.status).toBe('running');
    expect(refused(await ending.start({ program: program('true') }))).toMatchObject({ error_kind: 'runner_unavailable' });
    await expect(ending.project.read('never')).rejects.toThrow('ENOENT');
    await ending.close();
  });
});
