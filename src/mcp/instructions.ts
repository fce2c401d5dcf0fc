import type { Era } from './forward.js';

const BASE = [
  'wc keeps the thread of coding work: each task is a Workflow Session that records what was asked, what ran, what failed and what changed.',
  '',
  'Begin with work_on_project {instruction, project} (or client_id "local" with an absolute path); its session_id names the Session. Pass session_id to continue that very Session; without it a new one begins. Nothing is ever inferred from an earlier call.',
  'Then search_project_texts, read_files, edit_project_files (send the expected_read_revision that read_files gave), run_process or run_shell, read_workspace_changes, finish_coding_task. Pass session_id on each so that the Session records it.',
  'A command that outlives its wait goes on as a Job: the answer has job_id; use observe_jobs, wait_for_job_readiness, read_job_output. It is the same process, so never start it again.',
  'Tools beyond this list: read_tool_manifest finds them and shows a contract; call_runtime_tool {tool, arguments} runs them.',
  'Failures carry output.error_kind and output.recovery_kind; state_changed says whether anything changed (null: not known, look before you repeat).',
];

const RECORDING: Readonly<Record<Era, string>> = {
  legacy: 'recording_session_id on any tool keeps the evidence of that call in that Session as well.',
  stateless:
    '_wc is optional on any tool: {record: "wc_sess_…"} keeps the evidence of that call in that Session as well. Its other keys (ack, ack_ref, reply, resolve, context, control) are described by read_tool_manifest.',
};

/** What a model is told once, the point first, under 2,048 characters. */
export function instructions(era: Era): string {
  return [...BASE, RECORDING[era]].join('\n');
}
