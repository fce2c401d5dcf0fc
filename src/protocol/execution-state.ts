/** The closed vocabularies of an execution (spec 03 §2, spec 00 decision 66). */
export const EXECUTION_STATES = [
  'not_started',
  'queued',
  'running',
  'completed',
  'timed_out',
  'cancelled',
  'outcome_unknown',
] as const;
export type ExecutionState = (typeof EXECUTION_STATES)[number];

/** What is surely known in a state: whether the program started, ended by itself, and is over. */
export interface ExecutionStateFacts {
  readonly started: boolean;
  readonly completed: boolean;
  readonly terminal: boolean;
}

export const EXECUTION_STATE_FACTS: Readonly<Record<ExecutionState, ExecutionStateFacts>> = {
  not_started: { started: false, completed: false, terminal: true },
  queued: { started: false, completed: false, terminal: false },
  running: { started: true, completed: false, terminal: false },
  completed: { started: true, completed: true, terminal: true },
  timed_out: { started: true, completed: false, terminal: true },
  cancelled: { started: true, completed: false, terminal: true },
  outcome_unknown: { started: true, completed: false, terminal: false },
};

export const PURPOSES = [
  'validation',
  'test',
  'build',
  'format',
  'release',
  'diagnostic',
  'operation',
  'other',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** What `run_script` runs. */
export const SCRIPT_LANGUAGES = ['sh', 'bash', 'python', 'javascript', 'typescript'] as const;
export type ScriptLanguage = (typeof SCRIPT_LANGUAGES)[number];

export const FAILURE_KINDS = [
  'invalid_arguments',
  'permission_denied',
  'capability_unavailable',
  'agent_offline',
  'unsupported_resource',
  'interpreter_unavailable',
  'script_setup_failed',
  'spawn_failed',
  'command_exit_nonzero',
  'timeout',
  'cancelled',
  'outcome_unknown',
  'validation_failed',
  'runtime_error',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export const JOB_STATUSES = [
  'queued',
  'agent_queued',
  'running',
  'stop_requested',
  'recovering',
  'completed',
  'failed',
  'stopped',
  'timed_out',
  'lost',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const JOB_OUTCOMES = ['succeeded', 'failed', 'timed_out', 'cancelled', 'outcome_unknown'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/** What an ended Job came to; null while it is active. */
export function jobOutcome(status: JobStatus): JobOutcome | null {
  switch (status) {
    case 'completed':
      return 'succeeded';
    case 'failed':
      return 'failed';
    case 'timed_out':
      return 'timed_out';
    case 'stopped':
      return 'cancelled';
    case 'lost':
      return 'outcome_unknown';
    default:
      return null;
  }
}

export const RESULT_EXPECTATIONS = ['success', 'failure', 'observe'] as const;
export type ResultExpectation = (typeof RESULT_EXPECTATIONS)[number];
