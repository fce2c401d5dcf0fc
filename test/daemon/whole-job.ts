import type { JobView } from '../../src/protocol/runner/jobs.js';

/** A Job as the Runner shows it, of the project `agent:local:project` unless the test says otherwise. */
export function wholeJob(changes: Partial<JobView> = {}): JobView {
  const nothing = { bytes: 0, lines: 0, dropped_bytes: 0 };
  return {
    job_id: 'job_1',
    output_id: 'out_1',
    status: 'running',
    execution_state: 'running',
    outcome: null,
    update_seq: 1,
    project: 'agent:local:project',
    session_id: null,
    source: 'run_job',
    purpose: 'other',
    command_preview: 'true',
    cwd: '.',
    shell: null,
    arg_count: null,
    script_language: null,
    script_bytes: null,
    stdin_provided: false,
    timeout_ms: 1_000,
    created_at_ms: 1,
    started_at_ms: 1,
    finished_at_ms: null,
    duration_ms: null,
    exit_code: null,
    signal: null,
    failure_kind: null,
    tool_failure: false,
    reason: null,
    published_after_disconnect: false,
    stdout: nothing,
    stderr: nothing,
    descendants_ended: 0,
    output_incomplete: false,
    survivor_pids: [],
    annotations: {},
    ...changes,
  };
}
