import type { JsonObject } from '../../protocol/tool-result.js';

/** What the items of one answer may take as JSON, in bytes. */
export const ITEMS_BUDGET_BYTES = 256 * 1024;

export interface BudgetedItems {
  readonly items: readonly JsonObject[];
  /** The first item that was left out, or null. */
  readonly nextIndex: number | null;
}

/** Keeps whole items within the budget, in order. The first one always stays, so that a caller gets on. */
export function withinBudget(items: readonly JsonObject[], budgetBytes = ITEMS_BUDGET_BYTES): BudgetedItems {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (bytes > budgetBytes && index > 0) return { items: items.slice(0, index), nextIndex: index };
  }
  return { items, nextIndex: null };
}
