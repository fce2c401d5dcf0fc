import { expect, it } from 'vitest';
import { isWithin } from '../../bench/row.js';
import { percentile } from '../../bench/statistics.js';

it.each([
  [0.5, 5],
  [0.9, 9],
  [0.99, 10],
  [0, 1],
])('the %f percentile of 1..10 is %i, by the nearest rank', (share, value) => {
  expect(percentile([3, 1, 2, 10, 9, 8, 4, 7, 6, 5], share)).toBe(value);
});

it('has no percentile of nothing', () => {
  expect(() => percentile([], 0.5)).toThrow('no samples');
});

it('judges a ratio by its quotient and an absolute by its value', () => {
  expect(isWithin({ label: 'p50', ours: 3, baseline: 2, budget: 1.5 })).toBe(true);
  expect(isWithin({ label: 'p50', ours: 3.1, baseline: 2, budget: 1.5 })).toBe(false);
  expect(isWithin({ label: 'p50', value: 1_001, unit: 'ms', budget: 1_000 })).toBe(false);
});
