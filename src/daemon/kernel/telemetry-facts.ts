/**
 * What a handler may hand to the Action Audit beside its evidence, in
 * `EvidenceFacts.telemetry` (spec 05 §6). The audit takes closed labels, booleans and
 * whole numbers of the members below and drops everything else; ids become digests.
 * A member that is left out was not observed, which is not the same as false or zero.
 */
export type TelemetryFacts = {
  readonly readiness?: ReadinessFacts;
  readonly bootstrap?: BootstrapFacts;
  readonly job_convergence?: JobConvergenceFacts;
  readonly validation?: ValidationCounts;
  /** The finer outcome of a unified diff that was refused. */
  readonly edit_outcome?: 'policy_blocked' | 'not_applicable' | 'malformed' | 'apply_failed';
};

/** A successful wait for Jobs. */
export type ReadinessFacts = {
  readonly mode: 'any' | 'all';
  readonly requested_jobs: number;
  readonly unique_jobs: number;
  /** Whole milliseconds; a wait that had to be armed may still take 0 of them. */
  readonly waited_ms: number;
  readonly wait_state: 'ready' | 'deadline';
  /** Whether the wait had to be armed; when not, the Jobs were ready before it. */
  readonly armed: boolean;
  readonly ready_count: number;
  readonly pending_count: number;
};

/** What `work_on_project` found of its materials (all optional: null is unobserved). */
export type BootstrapFacts = {
  readonly instructions_available?: boolean | null;
  readonly instructions_content_included?: boolean | null;
  readonly instructions_truncated?: boolean | null;
  readonly workflow_available?: boolean | null;
  readonly skills_truncated?: boolean | null;
  readonly skills_available?: boolean | null;
  readonly plugins_truncated?: boolean | null;
  readonly plugins_available?: boolean | null;
  readonly semantic_supported?: boolean | null;
  readonly semantic_available?: boolean | null;
  readonly instruction_source_count?: number | null;
  readonly skills_returned_count?: number | null;
  readonly plugins_returned_count?: number | null;
  readonly instruction_observation_status?: string | null;
  readonly workspace_status?: string | null;
  readonly semantic_status?: string | null;
};

/** One Job whose state a call observed or delivered. */
export type ObservedJob = {
  readonly job_id: string;
  readonly failure?: boolean;
  readonly validation_failure?: boolean;
  readonly terminal_observed_at_ms?: number;
};

export type JobConvergenceFacts = {
  /** Jobs that the caller asked about, at most 8. */
  readonly observed?: readonly ObservedJob[];
  /** Terminal Jobs that the answer told of without being asked. */
  readonly passive_terminal?: readonly ObservedJob[];
  /** False when the registry was busy or an observation failed in part. */
  readonly complete?: boolean;
};

/** What a validation proved, as numbers. */
export type ValidationCounts = {
  readonly tests_total?: number;
  readonly tests_passed?: number;
  readonly tests_failed?: number;
  readonly tests_skipped?: number;
  readonly diagnostics?: number;
};
