import { spawnSync } from 'node:child_process';

/** Prometheus's own check of a page of metrics; its findings, none for a sound one. */
export function promtool(page: string): string {
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' });
  if (error !== undefined) throw new Error('the tests of the metrics need promtool: install prometheus');
  return status === 0 && stderr === '' ? '' : `${stdout}${stderr}`;
}
