import { expect, test } from 'vitest';
import { IDLE_END_MS, IdleEnd } from '../../src/runner/idle-end.js';

test('a Runner ends ten minutes after its last daemon, Job and shell, whichever was last', () => {
  const idle = new IdleEnd(IDLE_END_MS);
  const minute = 60_000;
  const at = (minutes: number, daemonConnected: boolean, active: number): boolean =>
    idle.isDue({ daemonConnected, active, now: minutes * minute });
  expect(at(0, true, 0)).toBe(false);
  expect(at(100, true, 0)).toBe(false);
  expect(at(101, false, 1)).toBe(false);
  expect(at(200, false, 1)).toBe(false);
  expect(at(201, false, 0)).toBe(false);
  expect(at(210.9, false, 0)).toBe(false);
  expect(at(211, false, 0)).toBe(true);
  expect(at(211.1, true, 0)).toBe(false);
  expect(at(220, false, 0)).toBe(false);
  expect(at(229, false, 0)).toBe(false);
  expect(at(230, false, 0)).toBe(true);
});
