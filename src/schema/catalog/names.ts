// Types that are known by name only: nobody measured a record of them, so there are no fields to describe.

/** Attachment types named in public notes about the client. */
export const attachmentNames: readonly string[] =
  `advisor_stripped advisor_tool agent_mention artifact_opening_prefetch async_hook_response async_hook_response_batch
  attention_budget bash_output_audience_note batching_reminder batching_reminder_sent budget_usd context_efficiency
  context_sections coordinator_context cowork_memory_context credential_org critical_system_reminder
  deferred_tools_record dir_sync_notice dynamic_skill edited_image_file fork_briefing hook_blocking_error
  hook_deferred_tool hook_error_during_execution hook_permission_decision hook_stopped_continuation
  inlined_image_paths instructions language max_turns_reached mcp_dropped_tools_delta mcp_resource memory_update
  output_style output_style_instructions output_token_usage peer_mention plan_file_reference poll_events prefix_delta
  proactivity prompt_render_point read_truncation_notice relevant_memories sandbox_instructions secondary_reminder
  secondary_reminder_sent session_settings silent_turn_reminder skill_mention task_status team_context
  teammate_shutdown_batch thinking_drop thinking_stripped thread_state token_usage tool_search_usage_reminder
  total_tokens_reminder ultra_effort_exit ultrathink_effort unknown_command_fallback workflow_keyword_request
  workflow_size_guideline_change`.split(/\s+/)

/** Progress types that the client keeps in memory or that public notes name. */
export const progressNames: readonly string[] =
  'skill_progress powershell_progress repl_tool_call tool_heartbeat agent_api_retry workflow_log'.split(' ')
