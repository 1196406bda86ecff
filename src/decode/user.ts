// `user` records: prompts, delegations, tool results, commands, and everything that Claude Code, hooks, tasks and teammates
// write in the user's name. Flags and the tags a text begins with distinguish them.

import { asObject, asString, type JsonObject } from '../base/json.ts'
import type { Actor, Block, EventKind, ToolResultBlock } from '../model/event.ts'
import { decodeContent } from './blocks.ts'
import type { Draft, DraftInput } from './draft.ts'

export function decodeUser(input: DraftInput): Draft {
  return userDraft(input, decodeContent(asObject(input.value['message'])?.['content'], input.options))
}

/** A user record of any dialect, from its blocks. */
export function userDraft(input: DraftInput, blocks: Block[]): Draft {
  const { value } = input
  if (value['type'] === 'tool_result' || blocks.some(isResult)) return toolResults(value, blocks)
  if (value['isCompactSummary'] === true) return { kind: 'compact-summary', actor: 'client', blocks }
  if (value['isMeta'] === true) return { kind: 'meta', actor: 'client', blocks }
  return userText(input, blocks, value)
}

/** One without the id of its call is kept whole, but still no human's. */
function isResult(block: Block): boolean {
  return block.type === 'tool-result' || (block.type === 'other' && block.wireType.endsWith('tool_result'))
}

/** Text of a user record or a queued command: what it means depends on how it begins and on whose thread it is. */
export function userText(input: DraftInput, blocks: Block[], value: JsonObject): Draft {
  const texts: string[] = []
  for (const block of blocks) if (block.type === 'text') texts.push(block.text)
  if (value['parentUuid'] === null && texts.length > 0 && isContinuationText(texts[0] as string)) {
    return { kind: 'compact-summary', actor: 'client', blocks, flags: ['inferred'] }
  }
  const meaning = blocksMeaning(blocks, texts, value) ?? originMeaning(value)
  if (meaning) {
    const actor = input.isSubagent && meaning.actor === 'human' ? 'agent' : meaning.actor
    const draft: Draft = { kind: meaning.kind, actor, blocks }
    if (meaning.detail) draft.detail = meaning.detail
    return draft
  }
  return input.isSubagent ? { kind: 'delegation', actor: 'agent', blocks } : { kind: 'prompt', actor: 'human', blocks }
}

function blocksMeaning(blocks: readonly Block[], texts: readonly string[], value: JsonObject): TextMeaning | undefined {
  const meaning = meaningOfText(texts)
  if (meaning === undefined) return isSystemAside(blocks) ? { kind: 'meta', actor: 'client' } : undefined
  // An image or document with nothing but reminders was pasted by the user.
  if (meaning.kind === 'meta' && texts.length < blocks.length) return undefined
  const isNobodys = meaning.kind === 'notification' || meaning.kind === 'hook'
  return isNobodys && originKind(value) === 'human' ? undefined : meaning
}

/** A system text in the middle of a conversation, which the API takes in the user's place. */
function isSystemAside(blocks: readonly Block[]): boolean {
  return blocks.length > 0 && blocks.every(block => block.type === 'other' && block.wireType === 'mid_conv_system')
}

function originKind(value: JsonObject): string | undefined {
  const origin = value['origin']
  return asString(origin) ?? asString(asObject(origin)?.['kind'])
}

/** `origin` (2.1.119) and `promptSource` (2.1.161) state that no human typed it. */
function originMeaning(value: JsonObject): TextMeaning | undefined {
  const origin = originKind(value)
  if (origin === 'human' || origin === 'unclassified') return undefined
  if (origin !== undefined) {
    const actor = origin === 'peer' || origin === 'coordinator' ? 'agent' : 'client'
    return { kind: 'notification', actor, detail: { origin } }
  }
  return value['promptSource'] === 'system'
    ? { kind: 'notification', actor: 'client', detail: { origin: 'system' } }
    : undefined
}

function toolResults(value: JsonObject, blocks: Block[]): Draft {
  const results = blocks.filter(block => block.type === 'tool-result')
  const structured = value['toolUseResult']
  const first = results[0]
  if (first && structured !== undefined && structured !== null) attachStructured(first, structured)
  const draft: Draft = { kind: 'tool-results', actor: 'tool', blocks }
  if (results.some(result => result.isError)) draft.flags = ['error']
  return draft
}

function attachStructured(result: ToolResultBlock, structured: unknown): void {
  result.structured = structured
  const path = asString(asObject(structured)?.['persistedOutputPath'])
  if (path !== undefined) result.spillFile = path
}

export interface TextMeaning {
  kind: EventKind
  actor: Actor
  detail?: Record<string, unknown>
}

type Reading = (text: string, tag: string) => TextMeaning

const notification: Reading = () => ({ kind: 'notification', actor: 'client' })
const fromAgent: Reading = () => ({ kind: 'notification', actor: 'agent' })
const commandOutput: Reading = () => ({ kind: 'command-output', actor: 'client' })
const hook: Reading = () => ({ kind: 'hook', actor: 'client' })
const meta: Reading = () => ({ kind: 'meta', actor: 'client' })

/** What a text means that begins with a tag of Claude Code's own. Any other tag is a human's: "<div> is broken". */
const readings: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ['command-name', slashCommand],
  ['command-message', slashCommand],
  ['command-args', slashCommand],
  ['bash-input', typedCommand('bash')],
  ['user-memory-input', typedCommand('memory')],
  ...['local-command-stdout', 'local-command-stderr', 'bash-stdout', 'bash-stderr'].map(
    tag => [tag, commandOutput] as const,
  ),
  ['task-notification', taskMeaning],
  ...['teammate-message', 'cross-session-message'].map(tag => [tag, fromAgent] as const),
  ...[
    'tick',
    'goal',
    'ci-monitor-event',
    'monitor-event',
    'channel',
    'channel-message',
    'agent-notification',
    'bash-notification',
  ].map(tag => [tag, notification] as const),
  ...[
    'session-start',
    'session-end',
    'setup',
    'user-prompt-submit',
    'pre-tool-use',
    'post-tool-use',
    'post-tool-use-failure',
    'permission-request',
    'notification',
    'stop',
    'subagent-start',
    'subagent-stop',
    'pre-compact',
    'post-compact',
  ].map(event => [`${event}-hook`, hook] as const),
  ['local-command-caveat', meta],
  ['persisted-output', meta],
])

/** Reminders and editor notes that stand in front of a text, or alone. */
const injected: ReadonlySet<string> = new Set([
  'system-reminder',
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
])

const interrupted = '[Request interrupted by user'
const unknownCommand = /^\s*Unknown (skill|slash command|command): \S+\s*$/
const space = /\s*/y
const openingTag = /<([a-z][a-z_-]*)(?:\s[^>]*)?>/y

/** The meaning of a user's text that no human typed as a prompt; undefined for a prompt, or where there is no text. */
export function meaningOfText(texts: readonly string[]): TextMeaning | undefined {
  let hasInjection = false
  for (const text of texts) {
    const from = skipInjections(text)
    if (from < text.length) return meaningAt(text, from)
    if (text.trimStart() !== '') hasInjection = true
  }
  return hasInjection ? { kind: 'meta', actor: 'client' } : undefined
}

function meaningAt(text: string, from: number): TextMeaning | undefined {
  const first = text[from]
  if (first === '[' && text.startsWith(interrupted, from)) {
    const forToolUse = text.startsWith(' for tool use', from + interrupted.length)
    return { kind: 'interruption', actor: 'client', detail: { forToolUse } }
  }
  if (first === 'C' && text.startsWith('Caveat: The messages below', from)) return { kind: 'meta', actor: 'client' }
  // What Claude Code answers to a slash command that it does not have (1.0.128 to 2.1.100), without a tag.
  if (first === 'U' && unknownCommand.test(text)) return { kind: 'command-output', actor: 'client' }
  const tag = first === '<' ? tagAt(text, from) : undefined
  const reading = tag === undefined ? undefined : readings.get(tag)
  // A human who writes about a tag does not close it.
  if (tag === undefined || reading === undefined || !text.includes(`</${tag}>`, from)) return undefined
  return reading(text.slice(from), tag)
}

/** Where a text continues after white space and the injections in front of it; its length when nothing else is in it. */
function skipInjections(text: string): number {
  for (let at = 0; ; ) {
    at = skipSpace(text, at)
    const tag = text[at] === '<' ? tagAt(text, at) : undefined
    if (tag === undefined || !injected.has(tag)) return at
    const close = text.indexOf(`</${tag}>`, at)
    // One that was cut short is still nothing that a human typed.
    at = close === -1 ? text.length : close + tag.length + 3
  }
}

function skipSpace(text: string, from: number): number {
  space.lastIndex = from
  space.test(text)
  return space.lastIndex
}

function tagAt(text: string, at: number): string | undefined {
  openingTag.lastIndex = at
  return openingTag.exec(text)?.[1]
}

/** What 0.2 and 1.0.3 write after an interactive compaction, without a flag. */
export function isContinuationText(text: string): boolean {
  return text.startsWith('This session is being continued from a previous conversation')
}

/** `<command-name>/compact</command-name><command-args>…</command-args>`; 004 writes the name without its slash. */
function slashCommand(text: string): TextMeaning {
  const name = tagged(text, 'command-name') ?? tagged(text, 'command-message')
  const detail: Record<string, unknown> = {
    command: name === undefined ? '' : `/${name.replace(/^\//, '')}`,
    mode: 'slash',
  }
  const args = tagged(text, 'command-args')
  if (args) detail['args'] = args
  return { kind: 'command', actor: 'human', detail }
}

/** A line typed behind `!` (bash) or, up to 2.0, `#` (memory). */
function typedCommand(mode: string): Reading {
  return (text, tag) => ({ kind: 'command', actor: 'human', detail: { command: tagged(text, tag), mode } })
}

function taskMeaning(text: string): TextMeaning {
  return { kind: 'notification', actor: 'client', detail: { notification: taskNotification(text) } }
}

const notificationTags: readonly (readonly [name: string, tag: string])[] = [
  ['taskId', 'task-id'],
  ['toolUseId', 'tool-use-id'],
  ['outputFile', 'output-file'],
  ['status', 'status'],
  ['summary', 'summary'],
]

/** `<task-notification><task-id>…</task-id><status>…`: how a background task ended. */
function taskNotification(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const [name, tag] of notificationTags) {
    const value = tagged(text, tag)
    if (value !== undefined) found[name] = value
  }
  return found
}

function tagged(text: string, tag: string): string | undefined {
  const from = text.indexOf(`<${tag}>`)
  if (from === -1) return undefined
  const to = text.indexOf(`</${tag}>`, from)
  return to === -1 ? undefined : text.slice(from + tag.length + 2, to).trim()
}
