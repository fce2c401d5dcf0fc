import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { commandIdentity } from '../../../src/daemon/execution/command-identity.js';

test('the same command for the same purpose is the same check, whatever its white space', () => {
  const digest = createHash('sha256').update('test\0npm test -- --run').digest('hex').slice(0, 24);
  expect(commandIdentity('test', ' npm  test\n--   --run ')).toBe(`command:${digest}`);
  expect(commandIdentity('build', 'npm test -- --run')).not.toBe(`command:${digest}`);
});

test('what checks nothing has no identity', () => {
  for (const purpose of ['diagnostic', 'operation', 'other'] as const) expect(commandIdentity(purpose, 'npm test')).toBeNull();
});
