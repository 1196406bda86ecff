// The names that are known: record types, subtypes, attachment and progress types. What is not listed here is still read,
// kept and shown; it is only called unknown.

/** How Claude Code treats a type when it reads a file back; decides which kind of event it becomes. */
export type Bucket = 'chain' | 'title' | 'state' | 'link' | 'queue' | 'snapshot' | 'other'

/** Record types of Claude Code. */
export const clientTypes: ReadonlyMap<string, Bucket> = new Map<string, Bucket>([
  ...['user', 'assistant', 'system', 'attachment', 'progress', 'saved_hook_context'].map(
    chain => [chain, 'chain'] as const,
  ),
  ...['summary', 'custom-title', 'ai-title', 'agent-name'].map(title => [title, 'title'] as const),
  ...[
    'tag',
    'last-prompt',
    'agent-color',
    'agent-setting',
    'mode',
    'permission-mode',
    'worktree-state',
    'attribution-snapshot',
    'isolation-latch',
    'ended-by-model',
    'cost-state',
    'atis-latch',
    'artifact-comment-monitor',
    'artifact-autoreact-ledger',
    'history-suppression',
    'memory-mode',
    'dev-mods',
    'tools-used',
    'session-owner',
    'repl-mode',
    'resume-head-vouch',
    'data-flow-incomplete',
  ].map(state => [state, 'state'] as const),
  ...[
    'pr-link',
    'frame-link',
    'bridge-session',
    'relocated',
    'continued-in',
    'fork-context-ref',
    'observer-ref',
    'derived-from',
  ].map(link => [link, 'link'] as const),
  ['queue-operation', 'queue'],
  ['file-history-snapshot', 'snapshot'],
  ['file-history-delta', 'snapshot'],
  ...[
    'content-replacement',
    'api-request',
    'api-request-shape',
    'api-request-blob',
    'marble-origami-commit',
    'marble-origami-snapshot',
    'marble-origami-reset',
    'agent_metadata',
    'turn_end',
    'checkpoint',
    'data-flow-records',
  ].map(other => [other, 'other'] as const),
])

export const s0Types: ReadonlySet<string> = new Set([
  'human',
  'assistant',
  'tool_result',
  'compact_prelude',
  'compact_recap',
])
/** Types that only specification 000 has. */
export const s0OnlyTypes: ReadonlySet<string> = new Set(['human', 'tool_result', 'compact_prelude', 'compact_recap'])
export const s3Types: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'compact_system'])
export const journalTypes: ReadonlySet<string> = new Set(['launched', 'started', 'result', 'failed'])

export const systemSubtypes: ReadonlySet<string> = new Set([
  'compact_boundary',
  'microcompact_boundary',
  'turn_duration',
  'stop_hook_summary',
  'api_error',
  'local_command',
  'away_summary',
  'informational',
  'bridge_status',
  'model_refusal_fallback',
  'agents_killed',
  'scheduled_task_fire',
  'memory_saved',
  'model_consent_fallback',
  'model_fallback',
  'model_refusal_no_fallback',
  'per_turn_effort_changed',
  'permission_retry',
  'cloud_session_status',
  'file_snapshot',
  'rewind_stand_in',
])

export const progressTypes: ReadonlySet<string> = new Set([
  'bash_progress',
  'hook_progress',
  'agent_progress',
  'mcp_progress',
  'waiting_for_task',
  'query_update',
  'search_results_received',
  'skill_progress',
  'powershell_progress',
  'repl_tool_call',
  'tool_heartbeat',
  'agent_api_retry',
  'workflow_log',
])

export const attachmentTypes: ReadonlySet<string> = new Set(
  `account_memory_recall advisor_stripped advisor_tool agent_listing_delta agent_mention already_read_file
  artifact_opening_prefetch async_hook_response async_hook_response_batch at_mention_reference attention_budget
  auto_mode auto_mode_exit bash_output_audience_note batching_reminder batching_reminder_sent budget_usd
  claude_app_notice command_permissions compact_file_reference context_efficiency context_sections coordinator_context
  cowork_memory_context credential_org critical_system_reminder date date_change deferred_tools_delta
  deferred_tools_record diagnostics dir_sync_notice directory dynamic_skill edited_image_file edited_text_file
  elapsed_time_reminder environment file fork_briefing goal_status goals hook_additional_context hook_blocking_error
  hook_cancelled hook_deferred_tool hook_error_during_execution hook_non_blocking_error hook_permission_decision
  hook_plugin_listing hook_stopped_continuation hook_success hook_system_message inlined_image_paths
  instruction_files_not_loaded instructions invoked_skills language linked_plugin_tools_note max_turns_reached
  mcp_dropped_tools_delta mcp_instructions_delta mcp_resource memory_update message_pdf_reads model nested_memory
  opened_file_in_ide output_limit_note output_style output_style_instructions output_token_usage pdf_reference
  peer_mention plan_file_reference plan_mode plan_mode_exit plan_mode_reentry poll_events prefix_delta proactivity
  project_doc_reads projects_thread_ask prompt_render_point prompt_snapshot queued_command read_truncation_notice
  relevant_memories remote_session_change repl_mcp_needs_auth sandbox_instructions secondary_reminder
  secondary_reminder_sent selected_lines_in_diff selected_lines_in_ide session_context session_settings
  silent_turn_reminder skill_listing skill_mention structured_output task_reminder task_status team_context
  teammate_shutdown_batch thinking_drop thinking_stripped thread_state todo_reminder token_usage
  tool_host_result_lines tool_hosts_correction tool_hosts_notice tool_results_cut tool_search_usage_reminder
  total_tokens_reminder ultra_effort_enter ultra_effort_exit ultrathink_effort unknown_command_fallback
  widget_context_hint withheld_memory workflow_keyword_request workflow_size_guideline_change`.split(/\s+/),
)
