// How Claude Code 2.1.325 words attachments whose record does not word them (before 2.1.288), as it sent them to a stand-in for
// the API; the same in 2.1.328. Kinds without a text here are not sent. The long instructions of modes are not here but named
// (mode-texts.ts); what is sent but cannot be worded is in gaps.ts.

import { asArray, asNumber, asObject, asString, type JsonObject } from '../../base/json.ts'
import type { Block, SessionEvent } from '../../model/event.ts'
import { wordAutoMode, wordPlanMode, wordPlanModeExit, wordPlanModeReentry } from './mode-texts.ts'
import { wrapQueued } from './notifications.ts'
import { textBlock } from './part.ts'
import { takesSystemMessages } from './reference.ts'

export interface Worded {
  /** Blocks of each message that it becomes. */
  messages: readonly (readonly Block[])[]
  /** It is said by the user for any model. */
  isOfUser?: boolean
  /** It is not sent, even if the record words it. */
  isUnsent?: boolean
}

/** `model`: the one that continues. */
export function wordAttachment(attachment: JsonObject, event: SessionEvent, model: string): Worded {
  const type = asString(attachment['type']) ?? ''
  if (type === 'prompt_snapshot') return { messages: [], isUnsent: true }
  if (type === 'queued_command') return { messages: wordQueued(attachment, event.blocks) }
  if (type === 'file') return { messages: wordFile(attachment, event.blocks) }
  // Newer models are not reminded of their tasks.
  if (type === 'task_reminder' && takesSystemMessages(model)) return { messages: [] }
  const texts = Object.hasOwn(wordings, type) ? wordings[type]?.(attachment) : undefined
  const all = typeof texts === 'string' ? [texts] : (texts ?? [])
  return { messages: all.map(text => [textBlock(text)]), isOfUser: saidByUser.has(type) }
}

const saidByUser: ReadonlySet<string> = new Set(['fork_briefing', 'instructions', 'unknown_command_fallback'])

/** Typed by a person while Claude Code worked, and marked as that (2.1.32x on). */
export function isTypedMeanwhile({ type, commandMode, isMeta, humanTurn, origin }: JsonObject): boolean {
  return (
    type === 'queued_command' &&
    commandMode === 'prompt' &&
    humanTurn === true &&
    isMeta !== true &&
    asObject(origin)?.['kind'] === 'human'
  )
}

/** All texts are one, images come behind it. */
function wordQueued({ origin, isMeta, commandMode }: JsonObject, blocks: readonly Block[]): Block[][] {
  const text = blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
  const unstated = commandMode === 'task-notification' ? 'task-notification' : 'human'
  const { kind, server } = asObject(origin) ?? {}
  const stated = asString(kind) ?? (isMeta === true ? '' : unstated)
  return [[textBlock(wrapQueued(text, { kind: stated, server })), ...blocks.filter(isMedia)]]
}

function isMedia({ type }: Block): boolean {
  return type === 'image' || type === 'document'
}

/** As if it had been read. Of a document only a line says that it was. */
function wordFile({ filename, content, truncated }: JsonObject, blocks: readonly Block[]): Block[][] {
  const { type, file } = asObject(content) ?? {}
  const read = textBlock(`Called the Read tool with the following input: ${JSON.stringify({ file_path: filename })}`)
  if (type === 'image') return [[read], blocks.filter(isMedia)]
  const result = textBlock(`Result of calling the Read tool:\n${readResult(type, asObject(file) ?? {})}`)
  if (truncated !== true) return [[read], [result]]
  const note = `Note: The file ${filename} was too large and has been truncated to the first 2000 lines. No need to mention the truncation. Use Read to read more of the file if you need.`
  return [[read], [result], [textBlock(note)]]
}

function readResult(type: unknown, { filePath, content, startLine, originalSize }: JsonObject): string {
  if (type === 'pdf') return `PDF file read: ${filePath} (${fileSize(asNumber(originalSize) ?? 0)})`
  const text = asString(content) ?? ''
  if (text === '') return '<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>'
  const first = asNumber(startLine) ?? 1
  return text
    .split(/\r?\n/)
    .map((line, at) => `${first + at}\t${line}`)
    .join('\n')
}

function fileSize(bytes: number): string {
  const [size, unit] =
    bytes < 1024 ? [bytes, ' bytes'] : bytes < 1024 ** 2 ? [bytes / 1024, 'KB'] : [bytes / 1024 ** 2, 'MB']
  return `${size.toFixed(1).replace(/\.0$/, '')}${unit}`
}

type Wording = (attachment: JsonObject) => string | readonly string[]

/** Kind → its texts, each a message of its own. */
const wordings: Readonly<Record<string, Wording>> = {
  // Hooks
  hook_success: ({ hookName, hookEvent, content }) =>
    content !== '' && speakingHooks.has(asString(hookEvent) ?? '') ? `${hookName} hook success: ${content}` : [],
  hook_additional_context: ({ hookName, content }) =>
    asArray(content).length > 0 ? `${hookName} hook additional context: ${asArray(content).join('\n')}` : [],
  hook_blocking_error: ({ hookName, blockingError }) => {
    const error = asObject(blockingError)
    return `${hookName} hook blocking error from command: "${error?.['command']}": ${error?.['blockingError']}`
  },
  hook_stopped_continuation: ({ hookName, message }) => `${hookName} hook stopped continuation: ${message}`,
  async_hook_response: ({ response }) => {
    const { systemMessage, hookSpecificOutput } = asObject(response) ?? {}
    const context = asObject(hookSpecificOutput)?.['additionalContext']
    return [systemMessage, context].flatMap(text => asString(text) || [])
  },

  // Modes
  plan_mode: wordPlanMode,
  plan_mode_exit: wordPlanModeExit,
  plan_mode_reentry: wordPlanModeReentry,
  auto_mode: wordAutoMode,
  auto_mode_exit: () =>
    '## Exited Auto Mode\n\nYou have exited auto mode. The user may now want to interact more directly. You should ask clarifying questions when the approach is ambiguous rather than making assumptions.',
  ultra_effort_enter: ({ reminderType }) =>
    reminderType === 'sparse'
      ? 'Ultracode is still on — use the Workflow tool; see the Ultracode section of the workflow authoring reference.'
      : 'Ultracode is on: optimize for the most exhaustive, correct answer — not the fastest or cheapest. Use the Workflow tool on every substantive task; token cost is not a constraint. See the **Ultracode** section and quality patterns in the workflow authoring reference. Solo only on conversational/trivial turns.',
  ultra_effort_exit: () => "Ultracode is off — the Workflow tool's standard opt-in rule applies again.",
  ultrathink_effort: () =>
    'The user included the keyword "ultrathink", requesting deeper reasoning on this turn. Reason as thoroughly as the task warrants.',
  workflow_keyword_request: () =>
    'The user included the keyword "ultracode", opting this turn into multi-agent orchestration — use the Workflow tool to fulfill the request.',
  output_style: ({ style }) =>
    `${style} output style is active. Remember to follow the specific guidelines for this style.`,
  output_style_instructions: ({ style }) =>
    `# Output Style: ${asObject(style)?.['name']}\n${asObject(style)?.['prompt']}`,
  language: ({ language }) =>
    `# Language\nAlways respond in ${language}. Use ${language} for all explanations, comments, and communications with the user. Technical terms and code identifiers should remain in their original form.\nMaintain full orthographic correctness for ${language}, including all required diacritical marks, accents, and special characters. Never substitute accented characters with their ASCII equivalents (e.g., never write "nao" for "não", "fur" for "für", or "loeschen" for "löschen").`,

  // Files
  directory: ({ path, content }) => [
    `Called the Bash tool with the following input: ${JSON.stringify({ command: `ls ${path}`, description: `Lists files in ${path}` })}`,
    `Result of calling the Bash tool:\n${content}`,
  ],
  edited_text_file: ({ filename, snippet }) => {
    const head = `Note: ${filename} changed on disk since you last read it. That's usually deliberate, so take it as the current state rather than reverting it; if the change looks wrong, say so rather than undoing it yourself — otherwise no need to call it out.`
    return snippet === ''
      ? `${head} The changes are not shown here; use Read if you need the current content.`
      : `${head} Here are the relevant changes (shown with line numbers):\n${snippet}`
  },
  nested_memory: ({ content }) => {
    const file = asObject(content)
    return `Contents of ${file?.['path']}:\n\n${file?.['content']}`
  },
  instructions: ({ files }) => {
    const all = asArray(files).map(asObject)
    const texts = all.map(
      file => `Contents of ${file?.['path']}${instructionKinds[String(file?.['type'])] ?? ''}:\n\n${file?.['content']}`,
    )
    return `Codebase and user instructions are shown below. Be sure to adhere to these instructions. IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow them exactly as written.\n\n${texts.join('\n\n')}`
  },
  compact_file_reference: ({ filename }) =>
    `Note: ${filename} was read before the last conversation was summarized, but the contents are too large to include. Use Read tool if you need to access it.`,
  pdf_reference: ({ filename, pageCount, fileSize: bytes }) =>
    `PDF file: ${filename} (${pageCount} pages, ${fileSize(asNumber(bytes) ?? 0)}). This PDF is too large to read all at once. You MUST use the Read tool with the pages parameter to read specific page ranges (e.g., pages: "1-5"). Do NOT call Read without the pages parameter or it will fail. Start by reading the first few pages to understand the structure, then read more as needed. Maximum 20 pages per request.`,
  opened_file_in_ide: ({ filename }) =>
    `The user opened the file ${filename} in the IDE. This may or may not be related to the current task.`,
  selected_lines_in_ide: ({ filename, lineStart, lineEnd, content }) => {
    const text = asString(content) ?? ''
    const cut = text.length > 2000 ? `${text.slice(0, 2000)}\n... (truncated)` : text
    return `The user selected the lines ${lineStart} to ${lineEnd} from ${filename}:\n${cut}\n\nThis may or may not be related to the current task.`
  },
  diagnostics: ({ files }) => wordDiagnostics(asArray(files).map(file => asObject(file) ?? {})),
  plan_file_reference: ({ planFilePath, planContent }) =>
    `A plan file exists from plan mode at: ${planFilePath}\n\nPlan contents:\n\n${planContent}\n\nIf this plan is relevant to the current work and not already complete, continue working on it.`,

  // What there is to use
  skill_listing: ({ content }) =>
    content === '' ? [] : `The following skills are available for use with the Skill tool:\n\n${content}`,
  invoked_skills: ({ skills }) => wordInvokedSkills(asArray(skills).map(skill => asObject(skill) ?? {})),
  agent_listing_delta: attachment => wordAgents(attachment),
  agent_mention: ({ agentType }) =>
    `The user has expressed a desire to invoke the agent "${agentType}". Please invoke the agent appropriately, passing in the required context to it. `,
  mcp_instructions_delta: attachment => wordMcpInstructions(attachment),
  deferred_tools_delta: attachment => wordDeferredTools(attachment),
  unknown_command_fallback: ({ commandName, availableCommandNames }) => {
    const commands = asArray(availableCommandNames).map(name => `/${name}`)
    return `The user's message starts with the slash command /${commandName}, but no command with that name is available in this session, so it did not run. Slash commands available in this session: ${commands.join(', ')}. Treat the message as a plain request and do the task with the tools you have. If the task needs that command, tell the user it is not installed in this session. The user can add it as an organization plugin or a project skill. Do not give installation steps you are not sure of. Do not say the command ran.`
  },

  // Dates, budgets and short reminders
  date: ({ date }) => `Today's date is ${date}.`,
  date_change: ({ newDate }) =>
    `The date has changed. Today's date is now ${newDate}. No need to announce the new date — the user's own clock shows it.`,
  budget_usd: ({ used, total, remaining }) => `USD budget: $${used}/$${total}; $${remaining} remaining`,
  token_usage: ({ used, total, remaining }) => `Token usage: ${used}/${total}; ${remaining} remaining`,
  total_tokens_reminder: ({ text }) => asString(text) ?? [],
  silent_turn_reminder: ({ text }) => asString(text) ?? [],
  critical_system_reminder: ({ content }) => asString(content) ?? [],
  elapsed_time_reminder: ({ text }) => asString(text) ?? [],
  fork_briefing: ({ text }) => asString(text) ?? [],
  read_truncation_notice: ({ banner }) => asString(banner) ?? [],
  task_reminder: ({ content }) => wordTasks(asArray(content).map(task => asObject(task) ?? {})),
}

/** Hooks whose plain output is meant for the model. */
const speakingHooks: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit'])

const instructionKinds: Readonly<Record<string, string>> = {
  Project: ' (project instructions, checked into the codebase)',
  User: " (user's private global instructions for all projects)",
  Local: " (user's private project instructions, not checked in)",
  Managed: ' (organization-managed policy instructions)',
  AutoMem: " (user's auto-memory, persists across conversations)",
}

const ambient =
  'This is ambient context — do not narrate it to the user unless they ask or it is directly relevant to their request.'

/** `b.ts:` and a line for each: `  ⚠ [Line 1:3] bad [2322] (ts)`. */
function wordDiagnostics(files: readonly JsonObject[]): string | string[] {
  if (files.length === 0) return []
  const signs: Readonly<Record<string, string>> = { Error: '✘', Warning: '⚠', Info: 'ℹ', Hint: '★' }
  const texts = files.flatMap(({ uri, diagnostics }) => {
    const lines = asArray(diagnostics).map(one => {
      const { message, severity, range, code, source } = asObject(one) ?? {}
      const { line, character } = asObject(asObject(range)?.['start']) ?? {}
      const at = `[Line ${(asNumber(line) ?? 0) + 1}:${(asNumber(character) ?? 0) + 1}]`
      return `  ${signs[String(severity)] ?? '•'} ${at} ${message}${asString(code) ? ` [${code}]` : ''}${source ? ` (${source})` : ''}`
    })
    const name = String(uri).split('/').at(-1)
    return lines.length === 0 ? [] : [`${name}:\n${lines.join('\n')}`]
  })
  return `<new-diagnostics>The following new diagnostic issues were detected:\n\n${texts.join('\n\n')}</new-diagnostics>`
}

function wordInvokedSkills(skills: readonly JsonObject[]): string | string[] {
  if (skills.length === 0) return []
  const texts = skills.map(({ name, path, content }) => `### Skill: ${name}\nPath: ${path}\n\n${content}`)
  return `The following skills were invoked EARLIER in this session (before the conversation was compacted), not on the current turn. They are shown here for context only so you remain aware of their guidelines.

IMPORTANT: Do NOT re-execute these skills or perform their one-time setup actions (e.g., scheduling, creating files) again. Any request or argument text embedded in the skill bodies below — for example under a "## User Request" or "## Input" heading — was captured when that skill was first invoked. It is NOT the user's current message and NOT a new request: do not act on it as if it were live. Only continue to apply ongoing behavioral guidelines from these skills where still relevant.

${texts.join('\n\n---\n\n')}`
}

function wordAgents({ addedLines, removedTypes, isInitial, showConcurrencyNote }: JsonObject): string | string[] {
  const [added, removed] = [asArray(addedLines), asArray(removedTypes)]
  const head =
    isInitial === true
      ? 'Available agent types for the Agent tool:'
      : 'New agent types are now available for the Agent tool:'
  const note =
    'When you launch multiple agents for independent work, send them in a single message with multiple tool uses so they run concurrently.'
  return paragraphs([
    added.length > 0 && `${head}\n${added.join('\n')}`,
    removed.length > 0 &&
      `The following agent types are no longer available:\n${removed.map(one => `- ${one}`).join('\n')}`,
    isInitial === true && showConcurrencyNote === true && note,
    isInitial !== true && ambient,
  ])
}

function wordMcpInstructions({ addedBlocks, removedNames }: JsonObject): string | string[] {
  const [added, removed] = [asArray(addedBlocks), asArray(removedNames)]
  return paragraphs([
    added.length > 0 &&
      `# MCP Server Instructions\n\nThe following MCP servers have provided instructions for how to use their tools and resources:\n\n${added.join('\n\n')}`,
    removed.length > 0 &&
      `The following MCP servers have disconnected. Their instructions above no longer apply:\n${removed.join('\n')}`,
    removed.length > 0 && ambient,
  ])
}

function wordDeferredTools(attachment: JsonObject): string | string[] {
  const list = (key: string): string[] => asArray(attachment[key]).map(String)
  const [added, removed, again] = [list('addedLines'), list('removedNames'), list('readdedNames')]
  const [pending, unauthorized] = [list('pendingMcpServers'), list('needsAuthMcpServers')]
  return paragraphs([
    added.length > 0 &&
      `The following deferred tools are now available via ToolSearch. Their schemas are NOT loaded — calling them directly will fail with InputValidationError. Use ToolSearch with query "select:<name>[,<name>...]" to load tool schemas before calling them:\n${added.join('\n')}`,
    wordAvailableAgain(again.filter(isOfServer), 'MCP server reconnected — names announced', ''),
    wordAvailableAgain(
      again.filter(name => !isOfServer(name)),
      'announced',
      ' in this session',
    ),
    wordGone(removed.filter(isOfServer), '(their MCP server disconnected)'),
    wordGone(
      removed.filter(name => !isOfServer(name)),
      'in this session',
    ),
    removed.length > 0 && ambient,
    unauthorized.length > 0 &&
      `The following MCP servers require authentication before their tools can be used:\n${unauthorized.join('\n')}\n\nThis session is non-interactive, so Claude cannot run the OAuth flow here. If the user's request depends on one of these servers (even if they didn't name it explicitly), or they ask about it, tell them that it needs to be authorized — for claude.ai connectors, via their claude.ai connector settings; for other servers, via \`claude mcp\` or /mcp in an interactive session — and that the capability is unavailable until they do. Otherwise carry on with the request and do not mention these servers. Do not ask the user for authorization codes, tokens, or callback URLs.`,
    pending.length > 0 &&
      `The following MCP servers are still connecting — their tools (typically named mcp__<server>__*) are not yet available but will appear shortly:\n${pending.join('\n')}\n\nIf the user's request might be served by one of these servers (even if they didn't name it explicitly), call ToolSearch with a relevant keyword — ToolSearch will wait for connecting servers and search their tools once available. Do not report a capability as unavailable without first searching.`,
  ])
}

function isOfServer(name: string): boolean {
  return name.startsWith('mcp__')
}

/** Tools of a server are named together: `mcp__x__* (2)`. */
function wordAvailableAgain(names: readonly string[], when: string, where: string): string | false {
  if (names.length === 0) return false
  const counts = new Map<string, number>()
  for (const name of names) {
    const group = isOfServer(name) ? `${name.split('__').slice(0, 2).join('__')}__*` : name
    counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const groups = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  const listed = groups.map(([name, count]) => (count > 1 ? `${name} (${count})` : name)).join(', ')
  const tools = names.length === 1 ? '1 deferred tool is' : `${names.length} deferred tools are`
  return `${tools} available again${where} (${when} earlier in this conversation): ${listed}. Load via ToolSearch as before.`
}

function wordGone(names: readonly string[], why: string): string | false {
  return (
    names.length > 0 &&
    `The following deferred tools are no longer available ${why}. Do not search for them — ToolSearch will return no match:\n${names.join('\n')}`
  )
}

function wordTasks(tasks: readonly JsonObject[]): string {
  const text = `The task tools haven't been used recently. If you're working on tasks that would benefit from tracking progress, consider using TaskCreate to add new tasks and TaskUpdate to update task status (set to in_progress when starting, completed when done). Also consider cleaning up the task list if it has become stale. Only use these if relevant to the current work. This is just a gentle reminder - ignore if not applicable.\n`
  if (tasks.length === 0) return text
  const lines = tasks.map(({ id, status, subject }) => `#${id}. [${status}] ${subject}`)
  return `${text}\n\nHere are the existing tasks:\n\n${lines.join('\n')}`
}

function paragraphs(texts: readonly (string | false)[]): string | string[] {
  const said = texts.filter(text => text !== false)
  return said.length === 0 || (said.length === 1 && said[0] === ambient) ? [] : said.join('\n\n')
}
