import type { JsonObject } from '../../protocol/tool-result.js';

/** How a task is carried so that somebody else can take it up; advice, and no rule that anything checks. */
const IMPLEMENTATION_OWNER = [
  'Begin with work_on_project and pass its session_id on every call, so that the Session records what was done.',
  'Post a decision or progress message at each point that somebody would have to know to go on: a choice made, a step finished, a way given up.',
  'Give a check the same assertion_name each time, so that a later success answers an earlier failure.',
  'Prefer cargo_test, go_test or project_validate to a raw command: only these prove what was tested.',
  'A validation is stale after the next edit; run it again before you finish.',
  'Wait for a Job with wait_for_job_readiness or observe_jobs, and do not poll.',
  'A revision or fence conflict has written nothing: read again, then decide anew.',
  'finish_coding_task reports evidence and closes nothing.',
];

const INDEPENDENT_REVIEW = [
  'Read the task and its thread first: read_session_handoff, then list_session_messages.',
  'Judge the changes by read_workspace_changes and by the files themselves, not by what was said of them.',
  'Run the validation yourself; a result that you did not see is a report.',
  'Post each finding as a risk or a question, with the file and the line.',
  'Do not fix what you review, unless the task says so.',
  'A todo is completed once, by its assignment fence; a stale fence means that the thread went on.',
  'Acknowledge what you have read with _wc.ack; it resolves nothing.',
  'Say at the end what you did not look at.',
];

/** `webcodex.workflow`: which role fits is for the task's own text to say. */
export function workflowGuidance(): JsonObject {
  return {
    semantics: 'model_guidance_only',
    choose_role_by: 'task_text',
    roles: [
      { role: 'implementation_owner', guidance: IMPLEMENTATION_OWNER },
      { role: 'independent_review', guidance: INDEPENDENT_REVIEW },
    ],
  };
}
