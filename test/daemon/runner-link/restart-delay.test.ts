import { expect, test } from 'vitest';
import { restartDelayMs } from '../../../src/daemon/runner-link/restart-delay.js';

test('the first failure costs nothing, later ones double up to five seconds', () => {
  const delays = Array.from({ length: 9 }, (_, index) => restartDelayMs(index + 1));
  expect(delays).toEqual([0, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  expect(restartDelayMs(1_000_000)).toBe(5_000);
});
