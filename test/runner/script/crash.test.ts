import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listJobsMethod } from '../../../src/protocol/runner/jobs.js';
import { executionHouse, isRunning, until, type StartParams } from '../jobs/execution-house.js';
import { temporaryProject } from '../temporary-project.js';

it('the scripts of a Runner that was killed are gone with the next one, and what they ran is ended', async () => {
  const spool = await mkdtemp(join(tmpdir(), 'wc-spool-'));
  const project = await temporaryProject();
  const request: StartParams = {
    execution_id: randomUUID(),
    root: project.root,
    project: 'agent:local:test',
    session_id: null,
    source: 'run_script',
    purpose: 'other',
    program: { kind: 'script', language: 'python', script: 'import os, time\nopen("pid", "w").write(str(os.getpid()))\ntime.sleep(60)', args: [] },
    command_preview: 'python <temporary-script>',
    stdin: null,
    cwd: null,
    timeout_ms: 60_000,
    mode: 'job',
    hand_off_after_ms: null,
    environment: null,
    stream_output: false,
    annotations: {},
  };
  const settings = { spoolFolder: spool, instanceId: randomBytes(16).toString('hex'), maxConcurrentJobs: 4, requests: [request] };
  const doomed = fileURLToPath(new URL('../jobs/doomed-runner.mjs', import.meta.url));
  const runner = spawn(process.execPath, [doomed, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => runner.once('exit', resolve));
  const scripts = join(spool, settings.instanceId, 'scripts');
  try {
    await once(createInterface({ input: runner.stdout }), 'line');
    const pid = await until('the script runs', async () => Number(await readFile(project.path('pid'), 'utf8').catch(() => '')) || null);
    expect(await readdir(scripts)).toHaveLength(1);
    runner.kill('SIGKILL');
    await exited;
    const next = await executionHouse({ spoolFolder: spool });
    try {
      expect(await next.ask(listJobsMethod, { status: 'lost', project: null, session_id: null, limit: 10 })).toMatchObject({
        jobs: [{ source: 'run_script', script_language: 'python', script_bytes: 71, command_preview: 'python <temporary-script>' }],
      });
      await expect(readdir(scripts)).rejects.toThrow('ENOENT');
      expect(await isRunning(pid)).toBe(false);
    } finally {
      await next.close();
    }
  } finally {
    runner.kill('SIGKILL');
    await project.remove();
    await rm(spool, { recursive: true, force: true });
  }
});
