import { expect, it } from 'vitest';
import { runInitScript } from '../../../src/runner/environment/init-script.js';

const run = (script: string, withinMs = 10_000): Promise<Readonly<Record<string, string>>> =>
  runInitScript({ shell: '/bin/sh', script, root: '/', env: { PATH: '/usr/bin:/bin', BEFORE: 'x' }, withinMs, signal: new AbortController().signal });

it('gives back exactly what it exported', async () => {
  expect(await run('export A="1\n2" B=; unset BEFORE')).toEqual({ PATH: '/usr/bin:/bin', A: '1\n2', B: '' });
});

it('over its time is ended, and says so', async () => {
  const startedAt = performance.now();
  await expect(run('trap "" TERM; while :; do :; done', 200)).rejects.toThrow('did not end within 0.2 s');
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

it('a flood of output is bounded, and no answer', async () => {
  await expect(run('yes')).rejects.toThrow();
});
