import { changedPaths } from '../../validation/index.js';
import { activity } from '../feedback/activity.js';
import { exploration } from '../feedback/exploration.js';
import { nextSteps } from '../task-context/next-steps.js';
import { taskContext } from '../task-context/task-context.js';
import { attention } from './attention.js';
import { basis } from './basis.js';
import { boundedList, UNKNOWN_LIST } from './bounded-list.js';
import { briefActions } from './brief-actions.js';
import { briefTask } from './brief-task.js';
import { briefValidation, openCheckFailures } from './brief-validation.js';
import { briefWorkspace } from './brief-workspace.js';
import type { BriefProgress, HandoffBrief } from './brief.js';
import { allWellFormed } from './excerpt.js';
import { externalSection } from './external-section.js';
import type { HandoffFacts } from './handoff-facts.js';
import { progressState } from './progress-state.js';
import { reducedBrief } from './reduce-brief.js';

const MAX_CHANGES = 12;
const MAX_RECENT_FILES = 8;
const MAX_ACTIONS = 5;

/** The brief of captured facts: a pure projection, the same for the same facts, at most 8,192 bytes of JSON. */
export function handoffBrief(facts: HandoffFacts): HandoffBrief {
  return reducedBrief(allWellFormed(wholeBrief(facts)));
}

/** The brief before it is fitted into its bound. */
function wholeBrief(facts: HandoffFacts): HandoffBrief {
  const { snapshot, history, board, raced } = facts;
  const { sessionId, lifecycle, mode } = snapshot.session;
  const workspace = briefWorkspace(facts.workspace);
  const validation = briefValidation(facts);
  const waiting = attention(facts);
  const rests = basis(facts, workspace);
  const state = progressState({ lifecycle, raced, workspace, attention: waiting, validation, basis: rests });
  const did = attempted(facts);
  const actions = briefActions({
    state,
    raced,
    attention: waiting,
    validation,
    dirty: workspace.dirty === true,
    readFiles: (did.recent_files.total ?? 0) > 0,
    changedFiles: (did.changes.total ?? 0) > 0,
  });
  const failing = history === null || facts.validation.status === 'not_requested' ? [] : openCheckFailures(history);
  const steps = nextSteps({
    failing,
    conflicted: waiting.workspace_conflict === true,
    jobsAtWork: (waiting.blocking_jobs ?? 0) > 0,
    needsValidation: state === 'needs_validation',
    boardWaits: [waiting.open_risks, waiting.open_questions, waiting.open_todos, waiting.open_guidance].some((count) => (count ?? 0) > 0),
  });
  return {
    version: 1,
    deterministic: true,
    llm_summary: false,
    session: { session_id: sessionId, lifecycle, mode },
    task: briefTask(facts),
    workspace,
    progress: { state, ...did },
    validation,
    external_observations: externalSection(facts.reports),
    task_context: taskContext({ snapshot, history, board, failing, nextSteps: steps }),
    attention: waiting,
    next_actions: boundedList(actions, MAX_ACTIONS),
    basis: rests,
  };
}

/** What the latest attempt did, of the retained tail. */
function attempted({ history }: HandoffFacts): Omit<BriefProgress, 'state'> {
  if (history === null) return { meaningful_tool_calls: null, changes: UNKNOWN_LIST, recent_files: UNKNOWN_LIST };
  const { attempt, boundary } = history;
  const read = exploration(attempt, boundary.complete, MAX_RECENT_FILES);
  return {
    meaningful_tool_calls: activity(attempt).meaningful_tool_calls,
    changes: boundedList(changedPaths(attempt), MAX_CHANGES),
    recent_files: boundedList(read.paths, MAX_RECENT_FILES, read.total),
  };
}
