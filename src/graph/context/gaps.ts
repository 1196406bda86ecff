// What a log cannot know about a resume, as reasons why what is sent may differ from what is computed here.

import { asArray, asObject, asString } from '../../base/json.ts'
import type { SessionEvent } from '../../model/event.ts'
import { takesSystemMessages } from './reference.ts'

/** Reasons, each once. `model`: the one that continues. */
export function gapsOf(events: readonly SessionEvent[], model: string): string[] {
  return [...new Set(events.flatMap(event => gapsOfEvent(event, model)))]
}

function gapsOfEvent(event: SessionEvent, model: string): string[] {
  if (event.dialect !== 'client') return []
  if (event.wireType === 'attachment') return asGap(attachmentGap(event, model))
  return event.blocks.some(block => block.type === 'tool-result' && block.content.some(isToolReference))
    ? [toolSearch]
    : []
}

const toolSearch =
  'Results of ToolSearch name tools: those that the resumed session does not have are left out, with "[Tool references removed - tools no longer available]" where none is left.'

function isToolReference(block: SessionEvent['blocks'][number]): boolean {
  return block.type === 'other' && block.wireType === 'tool_reference'
}

function asGap(gap: string | undefined): string[] {
  return gap === undefined ? [] : [gap]
}

function attachmentGap({ record }: SessionEvent, model: string): string | undefined {
  const attachment = asObject(record.value?.['attachment'])
  const type = asString(attachment?.['type']) ?? ''
  if (asArray(record.value?.['rendered']).length > 0) return undefined
  if (unworded.has(type))
    return `How Claude Code words an attachment of the kind ${type} is not known here: it is left out.`
  switch (type) {
    case 'plan_mode':
    case 'plan_mode_reentry':
    case 'auto_mode':
      return `The instructions for ${type === 'auto_mode' ? 'auto mode' : 'plan mode'} are Claude Code's own text: what is shown for them only says how long they are.`
    case 'deferred_tools_delta':
      return asArray(attachment?.['needsAuthMcpServers']).length > 0
        ? 'What is said about MCP servers that need authorisation depends on whether the resumed session is interactive.'
        : undefined
    case 'file':
      return fileGaps[asString(asObject(attachment?.['content'])?.['type']) ?? '']
    case 'todo_reminder':
      return takesSystemMessages(model)
        ? undefined
        : 'Whether todos are shown depends on the tools of the resumed session.'
    default:
      return undefined
  }
}

const fileGaps: Readonly<Record<string, string>> = {
  image: 'Where an image was named next to other files, line ends between them may differ.',
  notebook: 'How Claude Code words a notebook that was named is not known here.',
}

/** Kinds that Claude Code 2.1.325 has and may send, but whose fields or words were not measured. */
const unworded: ReadonlySet<string> = new Set(
  `account_memory_recall advisor_stripped advisor_tool artifact_opening_prefetch async_hook_response_batch
  at_mention_reference attention_budget bash_output_audience_note batching_reminder claude_app_notice context_sections
  coordinator_context cowork_memory_context credential_org dir_sync_notice dynamic_skill environment goals
  inlined_image_paths instruction_files_not_loaded linked_plugin_tools_note mcp_dropped_tools_delta mcp_resource
  memory_update message_pdf_reads model output_limit_note output_token_usage peer_mention poll_events prefix_delta
  proactivity project_doc_reads projects_thread_ask relevant_memories remote_session_change repl_mcp_needs_auth
  sandbox_instructions secondary_reminder selected_lines_in_diff session_settings skill_mention
  task_status team_context teammate_shutdown_batch thread_state tool_host_result_lines tool_hosts_correction
  tool_hosts_notice tool_search_usage_reminder widget_context_hint withheld_memory
  workflow_size_guideline_change`.split(/\s+/),
)
