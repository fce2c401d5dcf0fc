import type { FailedItem } from '../../protocol/runner/files.js';
import type { FoundItem, LeftOut } from '../../protocol/runner/search.js';
import type { Json, JsonObject, SuggestedCall } from '../../protocol/tool-result.js';
import { jsonBytes, RESULT_BYTES, resultBytes } from './result-bytes.js';

/** One query as it was asked for, what was left to its defaults left out. */
export interface AskedQuery {
  readonly arguments: JsonObject;
  readonly offset: number;
  readonly limit: number;
}

export interface SearchBudget {
  readonly project: string;
  /** Of the final JSON of the result. */
  readonly maxResultBytes: number;
}

interface ShownItem {
  readonly item: FoundItem;
  readonly asked: AskedQuery;
  readonly records: readonly Json[];
  shown: number;
  failure: FailedItem | null;
}

/**
 * Makes the output of a search out of what the Runner found, so that its JSON keeps the
 * budget: queries in their order, whole records only, and for what did not fit the call
 * that goes on behind it.
 *
 * @returns null when not even the counts of the queries fit
 */
export function fitSearch(
  items: readonly (FoundItem | FailedItem)[],
  asked: readonly AskedQuery[],
  budget: SearchBudget,
): JsonObject | null {
  const shown = items.map((item, index) => (item.success ? showable(item, asked[index]) : item));
  const found = shown.filter((item) => 'records' in item);
  fillInOrder(found, budget.maxResultBytes - resultBytes(searchOutput(shown, budget)), budget);
  let output = searchOutput(shown, budget);
  while (resultBytes(output) > budget.maxResultBytes) {
    const last = found.findLast((item) => item.shown > 0);
    if (last === undefined) return null;
    last.shown -= 1;
    output = searchOutput(shown, budget);
  }
  return output;
}

function showable(item: FoundItem, asked: AskedQuery | undefined): ShownItem {
  const records = (item.matches ?? item.files ?? item.counts ?? []) as readonly Json[];
  return { item, asked: asked ?? { arguments: {}, offset: 0, limit: records.length }, records, shown: 0, failure: null };
}

function fillInOrder(items: readonly ShownItem[], room: number, budget: SearchBudget): void {
  let left = room;
  let isAnythingShown = false;
  for (const shown of items) {
    for (const record of shown.records) {
      const cost = jsonBytes(record) + 1;
      if (cost > left) {
        // A record that nothing competes with and that still does not fit never would.
        if (!isAnythingShown) shown.failure = recordTooLarge(shown.item, cost, budget);
        return;
      }
      left -= cost;
      shown.shown += 1;
      isAnythingShown = true;
    }
  }
}

function recordTooLarge(item: FoundItem, cost: number, budget: SearchBudget): FailedItem {
  const needed = budget.maxResultBytes + cost;
  const raise = needed > RESULT_BYTES.most ? '' : ` or raise max_result_bytes to ${needed}`;
  return {
    index: item.index,
    success: false,
    path: '',
    error_kind: 'output_budget_exceeded',
    reason_code: 'record_exceeds_max_result_bytes',
    message: `The first match with its context takes ${cost} bytes of the result; ask for less context${raise}.`,
  };
}

function searchOutput(shown: readonly (ShownItem | FailedItem)[], budget: SearchBudget): JsonObject {
  const items = shown.map((item) => ('records' in item ? (item.failure ?? itemOutput(item)) : item));
  const rest = shown.flatMap((item) => ('records' in item && item.failure === null ? restOf(item) : []));
  const suggested: SuggestedCall = {
    follow_up_kind: 'mechanically_followable',
    tool: 'search_project_texts',
    arguments: { project: budget.project, queries: rest, max_result_bytes: budget.maxResultBytes },
  };
  return {
    items,
    truncated: rest.length > 0,
    max_result_bytes: budget.maxResultBytes,
    ...(rest.length === 0 ? {} : { suggested_call: { ...suggested } }),
  };
}

const MEMBER = { matches: 'matches', files_with_matches: 'files', count: 'counts' } as const;

function itemOutput({ item, asked, records, shown }: ShownItem): JsonObject {
  const next = asked.offset + shown;
  return {
    index: item.index,
    success: true,
    result_mode: item.result_mode,
    [MEMBER[item.result_mode]]: records.slice(0, shown),
    returned_count: shown,
    total_count: item.total_count,
    total_is_exact: item.total_is_exact,
    next_offset: next < item.total_count ? next : null,
    left_out: saidOf(item.left_out),
    ...(item.unreadable === 0 ? {} : { unreadable: item.unreadable }),
  };
}

/** What was left out, without what was not. */
function saidOf(leftOut: LeftOut): JsonObject {
  const said: Record<string, Json> = {};
  for (const [name, value] of Object.entries(leftOut)) {
    if (value !== undefined && value !== 0 && !(Array.isArray(value) && value.length === 0)) said[name] = value;
  }
  return said;
}

/** What of the asked page is still to be shown. */
function restOf({ item, asked, shown }: ShownItem): JsonObject[] {
  const end = Math.min(asked.offset + asked.limit, item.total_count);
  const next = asked.offset + shown;
  if (next >= end) return [];
  return [{ ...asked.arguments, offset: next, limit: end - next }];
}
