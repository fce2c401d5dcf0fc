import type { FailedItem, ReadItem } from '../../protocol/runner/files.js';
import type { JsonObject, SuggestedCall } from '../../protocol/tool-result.js';
import { jsonBytes, RESULT_BYTES, resultBytes } from './result-bytes.js';

/** One item as it was asked for. */
export interface AskedItem {
  readonly path: string;
  readonly limit: number;
}

export interface ReadBudget {
  readonly project: string;
  readonly withLineNumbers: boolean;
  /** Of the final JSON of the result. */
  readonly maxResultBytes: number;
}

/** What is shown of an item: its lines as they will stand in the answer, and how many of them do. */
interface ShownItem {
  readonly item: ReadItem;
  readonly asked: AskedItem;
  readonly lines: readonly string[];
  shown: number;
  /** The line that cannot be shown by this budget at all. */
  failure: FailedItem | null;
}

/**
 * Makes the output of a read out of what the Runner gave, so that its JSON keeps the
 * budget: items in their order, whole lines only, and for what did not fit the call that
 * reads it from the same snapshots.
 *
 * @returns null when not even the paths and facts of the items fit
 */
export function fitRead(
  items: readonly (ReadItem | FailedItem)[],
  asked: readonly AskedItem[],
  budget: ReadBudget,
): JsonObject | null {
  const shown = items.map((item, index) => (item.success ? showable(item, asked[index], budget) : item));
  const readable = shown.filter((item) => 'lines' in item);
  const room = budget.maxResultBytes - resultBytes(readOutput(shown, budget));
  fillInOrder(readable, room, budget);
  // The facts of an item grow by a few digits with its lines: what then is too much goes again.
  let output = readOutput(shown, budget);
  while (resultBytes(output) > budget.maxResultBytes) {
    const last = readable.findLast((item) => item.shown > 0);
    if (last === undefined) return null;
    last.shown -= 1;
    output = readOutput(shown, budget);
  }
  return output;
}

function showable(item: ReadItem, asked: AskedItem | undefined, budget: ReadBudget): ShownItem {
  const lines = item.text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return {
    item,
    asked: asked ?? { path: item.path, limit: item.line_count },
    lines: budget.withLineNumbers ? lines.map((line, index) => `${item.start_line + index}\t${line}`) : lines,
    shown: 0,
    failure: null,
  };
}

function fillInOrder(items: readonly ShownItem[], room: number, budget: ReadBudget): void {
  let left = room;
  let isAnythingShown = false;
  for (const shown of items) {
    for (const line of shown.lines) {
      const cost = jsonBytes(line) - 2;
      if (cost > left) {
        // A line that nothing competes with and that still does not fit never would.
        if (!isAnythingShown) shown.failure = lineTooLong(shown.item, cost, budget);
        return;
      }
      left -= cost;
      shown.shown += 1;
      isAnythingShown = true;
    }
  }
}

function lineTooLong(item: ReadItem, cost: number, budget: ReadBudget): FailedItem {
  const needed = budget.maxResultBytes + cost;
  const way = needed > RESULT_BYTES.most ? 'search it, or cut it with a program' : `raise max_result_bytes to ${needed}`;
  return {
    index: item.index,
    success: false,
    path: item.path,
    error_kind: 'range_too_large',
    reason_code: 'line_exceeds_max_result_bytes',
    message: `Line ${item.start_line} alone takes ${cost} bytes of the result; ${way}.`,
  };
}

function readOutput(shown: readonly (ShownItem | FailedItem)[], budget: ReadBudget): JsonObject {
  const items = shown.map((item) => ('lines' in item ? (item.failure ?? itemOutput(item)) : item));
  const rest = shown.flatMap((item) => ('lines' in item && item.failure === null ? restOf(item) : []));
  const suggested: SuggestedCall = {
    follow_up_kind: 'mechanically_followable',
    tool: 'read_files',
    arguments: {
      project: budget.project,
      items: rest,
      ...(budget.withLineNumbers ? { with_line_numbers: true } : {}),
      max_result_bytes: budget.maxResultBytes,
    },
  };
  return {
    items,
    truncated: rest.length > 0,
    max_result_bytes: budget.maxResultBytes,
    ...(rest.length === 0 ? {} : { suggested_call: { ...suggested } }),
  };
}

function itemOutput({ item, lines, shown }: ShownItem): JsonObject {
  const next = item.start_line + shown;
  const hasMore = next <= item.total_lines;
  return {
    index: item.index,
    success: true,
    path: item.path,
    text: lines.slice(0, shown).join(''),
    start_line: item.start_line,
    line_count: shown,
    total_lines: item.total_lines,
    has_more: hasMore,
    next_start_line: hasMore ? next : null,
    size_bytes: item.size_bytes,
    sha256: item.sha256,
    read_revision: item.read_revision,
  };
}

/** What of the asked range is still to be read, from the same snapshot. */
function restOf({ item, asked, shown }: ShownItem): JsonObject[] {
  const next = item.start_line + shown;
  const last = Math.min(item.start_line + asked.limit - 1, item.total_lines);
  if (next > last) return [];
  return [{ path: item.path, start_line: next, limit: last - next + 1, expected_read_revision: item.read_revision }];
}
