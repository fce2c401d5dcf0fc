import { expect, test } from 'vitest';
import { effectiveWaitSecs } from '../../../src/daemon/kernel/wait-bound.js';

test.each([
  [100, null, 100],
  [100, 45_000, 44],
  [5, 45_000, 5],
  [0, 45_000, 0],
  [5, 500, 0],
])('a wait of %i s with an answer due within %s ms is %i s', (asked, answerWithinMs, effective) => {
  expect(effectiveWaitSecs(asked, answerWithinMs)).toBe(effective);
});
