/** What a caller can do about a failure (spec 04 §3). */
export const RECOVERY_KINDS = [
  'fix_input',
  'retry_same',
  'reobserve',
  'reconcile',
  'wait',
  'user_action',
  'none',
] as const;
export type RecoveryKind = (typeof RECOVERY_KINDS)[number];

/**
 * Every error kind that a ToolResult can carry, with the recovery that holds
 * unless the failure itself knows better. A kind that is not here cannot be made.
 */
export const ERROR_KINDS = {
  // the call itself
  invalid_arguments: 'fix_input',
  unknown_tool: 'fix_input',
  insufficient_scope: 'user_action',
  permission_denied: 'user_action',
  policy_rejected: 'fix_input',
  capability_unavailable: 'user_action',
  confirmation_required: 'fix_input',
  idempotency_conflict: 'fix_input',
  not_started: 'retry_same',
  outcome_unknown: 'reconcile',
  cancelled: 'none',
  dispatch_hard_timeout: 'reconcile',
  output_budget_exceeded: 'fix_input',
  tool_disabled: 'none',
  internal_error: 'reconcile',
  /** The shim's own: no daemon could be reached, so nothing happened. */
  daemon_unavailable: 'retry_same',
  storage_unavailable: 'user_action',

  // projects
  unknown_project: 'fix_input',
  unknown_project_ref: 'fix_input',
  ambiguous_project: 'fix_input',
  unknown_client_id: 'fix_input',
  invalid_project_path: 'fix_input',
  project_path_not_found: 'fix_input',
  project_path_not_directory: 'fix_input',
  path_outside_allowed_roots: 'user_action',
  project_already_exists: 'fix_input',
  project_id_collision: 'fix_input',
  project_jobs_active: 'wait',
  invalid_query: 'fix_input',
  revision_conflict: 'reobserve',
  project_root_changed: 'user_action',

  // Workflow Sessions
  unknown_session_id: 'fix_input',
  unknown_session_ref: 'fix_input',
  invalid_session_id: 'fix_input',
  session_retention_expired: 'none',
  session_authority_denied: 'user_action',
  session_authority_identity_unavailable: 'user_action',
  session_owner_identity_unavailable: 'user_action',
  session_project_mismatch: 'fix_input',
  session_closed: 'none',
  session_guard_denied: 'user_action',
  session_capability_upgrade_denied: 'user_action',
  session_id_allocation_exhausted: 'retry_same',
  ledger_import_in_progress: 'wait',
  session_execution_context_requires_project: 'fix_input',
  invalid_execution_context: 'fix_input',
  invalid_coding_instruction: 'fix_input',
  coding_continuity_commit_failed: 'retry_same',
  work_on_project_projection_failed: 'reobserve',
  unknown_message_id: 'fix_input',
  session_message_not_open: 'reobserve',
  invalid_session_message: 'fix_input',

  // managed worktrees
  managed_worktree_root_unavailable: 'user_action',
  managed_worktree_resume_mismatch: 'user_action',
  managed_worktree_resume_base_mismatch: 'fix_input',
  managed_worktree_recovery_conflict: 'user_action',
  managed_worktree_source_project_unavailable: 'user_action',
  invalid_base_ref: 'fix_input',
  base_ref_resolution_failed: 'fix_input',
  source_not_git_repository: 'fix_input',
  source_git_status_failed: 'retry_same',
  worktree_creation_failed: 'retry_same',
  worktree_registration_failed: 'retry_same',
  worktree_removal_failed: 'retry_same',
  operation_indeterminate: 'reconcile',

  // the `_wc` envelope
  control_sidecar_not_admitted: 'fix_input',
  multiple_before_mutations: 'fix_input',

  // discovery
  unknown_tool_manifest_intent: 'fix_input',

  // files, search and edits
  invalid_path: 'fix_input',
  sensitive_path: 'fix_input',
  not_found: 'fix_input',
  not_file: 'fix_input',
  not_directory: 'fix_input',
  range_too_large: 'fix_input',
  not_utf8: 'none',
  stale_read_revision: 'reobserve',
  timeout: 'retry_same',
  io_error: 'retry_same',
  invalid_pattern: 'fix_input',
  invalid_glob: 'fix_input',
  invalid_globs: 'fix_input',
  list_timeout: 'retry_same',
  search_timeout: 'fix_input',
  search_execution_failed: 'retry_same',
  search_backend_feature_unavailable: 'fix_input',
  multiple_matches: 'fix_input',
  match_not_found: 'reobserve',
  occurrence_out_of_range: 'fix_input',
  overlapping_edits: 'fix_input',
  sha256_mismatch: 'reobserve',
  occurrence_outside_line_scope: 'fix_input',
  match_count_mismatch: 'reobserve',
  mixed_line_endings: 'fix_input',
  already_exists: 'fix_input',
  file_too_large: 'fix_input',
  edit_write_failed: 'user_action',
  invalid_patch: 'fix_input',
  patch_not_applicable: 'reobserve',
  git_unavailable: 'user_action',
  git_failed: 'retry_same',
  not_a_git_repository: 'fix_input',
  unknown_commit: 'fix_input',
  stale_continuation: 'reobserve',
  continuation_mismatch: 'fix_input',
  invalid_continuation: 'fix_input',
  page_record_too_large: 'fix_input',
  committed_range_conflicts_with_cached: 'fix_input',
  ambiguous_merge_base: 'fix_input',
  head_mismatch: 'reobserve',
  staged_changes_present: 'user_action',
  nothing_to_commit: 'fix_input',
  git_identity_missing: 'user_action',

  // checkpoints
  confirm_required: 'fix_input',
  unknown_checkpoint: 'fix_input',
  invalid_checkpoint: 'none',
  invalid_checkpoint_metadata: 'fix_input',
  checkpoint_too_large: 'user_action',
  checkpoint_limit_reached: 'user_action',
  sensitive_or_invalid_path: 'user_action',
  untracked_conflict: 'user_action',
  unsafe_current_state: 'user_action',
  restore_failed: 'reobserve',

  // execution and Jobs
  unsupported_resource: 'fix_input',
  interpreter_unavailable: 'user_action',
  script_setup_failed: 'retry_same',
  spawn_failed: 'fix_input',
  command_exit_nonzero: 'fix_input',
  validation_failed: 'fix_input',
  validation_scope_unavailable: 'fix_input',
  tests_failed: 'fix_input',
  runner_unavailable: 'retry_same',
  runner_unavailable_recovering: 'wait',
  unknown_job: 'fix_input',
  unknown_output_id: 'fix_input',
  job_not_found: 'fix_input',
  job_project_mismatch: 'fix_input',
  job_stop_forbidden: 'user_action',
  job_limit_reached: 'wait',
  // SSH resources
  ssh_resource_invalid: 'fix_input',
  ssh_resource_not_found: 'fix_input',
  ssh_session_required: 'fix_input',
  ssh_connection_failed: 'retry_same',
  ssh_remote_cwd_invalid: 'fix_input',
  ssh_command_spawn_failed: 'user_action',
  ssh_transport_failed: 'reconcile',
  ssh_command_wait_failed: 'reconcile',
  // persistent shells
  persistent_shell_not_found: 'fix_input',
  persistent_shell_stale: 'fix_input',
  persistent_shell_already_open: 'fix_input',
  persistent_shell_limit_reached: 'wait',
  persistent_shell_session_inactive: 'none',
  persistent_shell_initialization_failed: 'user_action',
  shell_busy: 'wait',
  shell_exited: 'fix_input',
  shell_reset_required: 'fix_input',
  command_timeout: 'reobserve',

  // observation
  invalid_observation_token: 'reobserve',
  invalid_project_filter: 'fix_input',
  invalid_session_filter: 'fix_input',
} as const satisfies Record<string, RecoveryKind>;

/** The closed set of machine-readable reasons of a failed ToolResult. */
export type ErrorKind = keyof typeof ERROR_KINDS;

/** Whether `text` is one of our error kinds. */
export function isErrorKind(text: string): text is ErrorKind {
  return Object.hasOwn(ERROR_KINDS, text);
}
