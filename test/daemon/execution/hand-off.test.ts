import { expect, test } from 'vitest';
import { answerDueMs, handOff } from '../../../src/daemon/execution/hand-off.js';

test.each([
  ['ten seconds by default', { timeoutMs: 60_000, syncWaitSecs: undefined, answerWithinMs: null }, { syncWaitMs: 10_000, afterMs: 10_000 }],
  ['never beyond the time-out, which then ends it', { timeoutMs: 9_000, syncWaitSecs: undefined, answerWithinMs: null }, { syncWaitMs: 9_000, afterMs: null }],
  ['at the time-out it is the time-out that ends it', { timeoutMs: 10_000, syncWaitSecs: undefined, answerWithinMs: null }, { syncWaitMs: 10_000, afterMs: null }],
  ['what the caller asked for', { timeoutMs: 3_600_000, syncWaitSecs: 30, answerWithinMs: null }, { syncWaitMs: 30_000, afterMs: 30_000 }],
  ['for the whole budget it never is', { timeoutMs: 500_000, syncWaitSecs: 500, answerWithinMs: null }, { syncWaitMs: 500_000, afterMs: null }],
  ['over MCP before the answer is due', { timeoutMs: 3_600_000, syncWaitSecs: 60, answerWithinMs: 45_000 }, { syncWaitMs: 43_000, afterMs: 43_000 }],
  ['a wait never extends the budget', { timeoutMs: 2_000, syncWaitSecs: 60, answerWithinMs: 45_000 }, { syncWaitMs: 2_000, afterMs: null }],
])('an execution is handed off: %s', (_name, inputs, expected) => {
  expect(handOff(inputs)).toEqual(expected);
});

test('an answer is never due in the past', () => {
  expect(answerDueMs(1)).toBe(0);
});
