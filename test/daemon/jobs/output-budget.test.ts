import { expect, test } from 'vitest';
import { withinBudget } from '../../../src/daemon/jobs/output-budget.js';

const item = (bytes: number): { text: string } => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

test('whole items stay, and the first that does not fit is named', () => {
  const items = [item(40), item(40), item(40)];
  expect(withinBudget(items, 120)).toEqual({ items, nextIndex: null });
  expect(withinBudget(items, 119)).toEqual({ items: items.slice(0, 2), nextIndex: 2 });
});

test('the first item stays, however large it is', () => {
  const items = [item(1_000), item(40)];
  expect(withinBudget(items, 100)).toEqual({ items: items.slice(0, 1), nextIndex: 1 });
});

test('bytes are counted, not characters', () => {
  expect(withinBudget([{ t: 'é' }, { t: 'é' }], 20).nextIndex).toBeNull();
  expect(withinBudget([{ t: 'é' }, { t: 'é' }], 19).nextIndex).toBe(1);
});
