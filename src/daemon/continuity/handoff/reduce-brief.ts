import { CONTEXT_LISTS, contextList } from '../task-context/task-context.js';
import { withoutLast } from './bounded-list.js';
import type { HandoffBrief } from './brief.js';
import type { Excerpt } from './excerpt.js';
import { jsonBytes, shortened, type ShortenedList } from '../shorten.js';

/** UTF-8 bytes of a brief as JSON (spec 06 §8). */
export const HANDOFF_BRIEF_BYTES = 8_192;

/** What gives way, in this order; each from its end, where the least important stands. */
const LISTS: readonly ShortenedList<HandoffBrief>[] = [
  {
    items: ({ progress }) => progress.recent_files.items ?? [],
    withoutLast: (brief, count) => ({ ...brief, progress: { ...brief.progress, recent_files: withoutLast(brief.progress.recent_files, count) } }),
  },
  {
    items: ({ progress }) => progress.changes.items ?? [],
    withoutLast: (brief, count) => ({ ...brief, progress: { ...brief.progress, changes: withoutLast(brief.progress.changes, count) } }),
  },
  {
    items: ({ validation }) => validation.open_failures.items ?? [],
    withoutLast: (brief, count) => ({ ...brief, validation: { ...brief.validation, open_failures: withoutLast(brief.validation.open_failures, count) } }),
  },
  ...CONTEXT_LISTS.map((name): ShortenedList<HandoffBrief> => {
    const list = contextList(name);
    return {
      items: ({ task_context: context }) => list.items(context),
      withoutLast: (brief, count) => ({ ...brief, task_context: list.withoutLast(brief.task_context, count) }),
    };
  }),
  {
    items: ({ task }) => task.recent_progress.items ?? [],
    withoutLast: (brief, count) => ({ ...brief, task: { ...brief.task, recent_progress: withoutLast(brief.task.recent_progress, count) } }),
  },
  {
    items: ({ task }) => task.decisions.items ?? [],
    withoutLast: (brief, count) => ({ ...brief, task: { ...brief.task, decisions: withoutLast(brief.task.decisions, count) } }),
  },
  {
    items: ({ external_observations: reports }) => reports.items ?? [],
    withoutLast: (brief, count) => ({
      ...brief,
      external_observations: { ...brief.external_observations, ...withoutLast(brief.external_observations, count) },
    }),
  },
  {
    items: ({ next_actions: actions }) => actions.items ?? [],
    withoutLast: (brief, count) => ({ ...brief, next_actions: withoutLast(brief.next_actions, count) }),
  },
];

/** The brief within its bound. Totals, states, attention and basis are never touched. */
export function reducedBrief(brief: HandoffBrief, maxBytes = HANDOFF_BRIEF_BYTES): HandoffBrief {
  const shorter = shortened(brief, maxBytes, LISTS);
  const over = jsonBytes(shorter) - maxBytes;
  return over > 0 ? withShorterInstructions(shorter, over) : shorter;
}

/** Takes whole code points off the longer instruction, and off the root's where both are as long. */
function withShorterInstructions(brief: HandoffBrief, over: number): HandoffBrief {
  const { root_instruction: root, latest_instruction: latest } = brief.task;
  const rootCut = [...(root?.excerpt ?? '')];
  const latestCut = [...(latest?.excerpt ?? '')];
  const uncut = new Set([rootCut, latestCut]);
  let freed = 0;
  while (freed < over && rootCut.length + latestCut.length > 0) {
    const [cut, whole] = latestCut.length > rootCut.length ? [latestCut, latest] : [rootCut, root];
    // `true` is a byte shorter than the `false` that it takes the place of.
    if (uncut.delete(cut) && whole?.truncated === false) freed += 1;
    freed += jsonBytes(cut.pop()) - 2;
  }
  return {
    ...brief,
    task: { ...brief.task, root_instruction: cutTo(root, rootCut.join('')), latest_instruction: cutTo(latest, latestCut.join('')) },
  };
}

function cutTo(whole: Excerpt | null, excerpt: string): Excerpt | null {
  return whole === null || whole.excerpt === excerpt ? whole : { excerpt, truncated: true };
}
