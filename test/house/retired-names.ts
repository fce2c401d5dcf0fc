/** Names of older versions of the catalog; each answers `unknown_tool` (spec 04 §6.2). */
export const RETIRED_NAMES: ReadonlySet<string> = new Set(
  `start_coding_task
  session_summary session_handoff_summary session_discussion_summary validation_summary session_shell_exec
  session_shell_status tool_manifest runtime_status project_overview search_and_read search_project_text
  read_file git_status git_diff git_diff_summary git_log git_diff_hunks git_review_summary git_commit_paths
  git_restore_paths show_changes workspace_hygiene_check workspace_checkpoint_create workspace_checkpoint_list
  workspace_checkpoint_show workspace_checkpoint_restore workspace_checkpoint_delete apply_text_edits
  apply_patch_checked validate_patch job_status job_log memory_search memory_read memory_set memory_delete
  skill_load skill_list skill_read_file lsp_status document_symbols document_diagnostics hover
  workspace_symbols goto_definition call_hierarchy current_session bind_current_session
  unbind_current_session list_agents`.split(/\s+/),
);
