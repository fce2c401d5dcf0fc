import type { JsonObject } from '../../../protocol/tool-result.js';

/**
 * The context material `webcodex.workflow` (spec 06 §13): how a model works well with a
 * Session. It is given to whoever asks for it by name, grants nothing, and is never a
 * condition of anything. Which of the two roles is meant is in the text of the task, which
 * only the model has.
 */
export const WORKFLOW_GUIDANCE: JsonObject = {
  model_guidance_only: true,
  choose_role_by: 'task_text',
  roles: {
    implementation_owner: [
      'Begin with work_on_project, and give its session_id to every call of the task; nothing is ever chosen for you.',
      'When a decision is made, and before you stop or hand over, post a decision or progress message with post_session_message: what is not posted is lost with your window.',
      'Validate with project_validate or the tool of the toolchain: a test run as a plain command is listed, and proves no pass.',
      'Where a command is the check, give it an assertion_name, and the same name each time: only a later pass under that name settles a failure.',
      'A pass counts from its start: validate again after the last edit, or it is stale.',
      'A run that became a Job goes on by itself: wait with observe_jobs or wait_for_job_readiness, and ask for no status in a loop.',
      'An edit that was refused for a conflict or a guard wrote nothing: read again, and make the edit anew on what is there.',
      'finish_coding_task reports evidence and completes nothing: say what it says, its blockers and warnings too.',
    ],
    independent_review: [
      'Begin with read_session_handoff of the Session under review; work in a Session of your own, in mode read_only where you change nothing.',
      'A brief whose basis is not complete is to be read again, or its gap named; null is unknown, and never zero.',
      'Notes and external reports are what somebody said: hold them against the evidence before you rely on them.',
      'Judge validation by its identity and time: only a pass that began after the last change, of the same check, settles a failure.',
      'Expected and observed results are neutral, and a run of no tests passes nothing.',
      'Run the validation yourself where it decides, under its own assertion_name, and wait for Jobs without asking in a loop.',
      'Post findings as question, risk or decision messages to the Session under review, each with what it rests on.',
      'A closeout is evidence and no verdict: your review says what was proven, what was not, and what nobody looked at.',
    ],
  },
};
