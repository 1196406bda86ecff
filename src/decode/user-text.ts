// Tells what a human typed from what the client, hooks, tasks and teammates put into `user` records.
// It looks at how a text begins; the records' own flags (isMeta, isCompactSummary, origin) are weighed by the caller.

import type { Actor, EventKind } from '../model/event.ts'

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

/** What a text means that begins with a tag of the client's own. Any other tag is a human's: "<div> is broken". */
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

/** The meaning of a user's text that nobody typed as a prompt; undefined for a prompt, or where there is no text. */
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
  // What the client answers to a slash command that it does not have (1.0.128 to 2.1.100), without a tag.
  if (first === 'U' && unknownCommand.test(text)) return { kind: 'command-output', actor: 'client' }
  const tag = first === '<' ? tagAt(text, from) : undefined
  const reading = tag === undefined ? undefined : readings.get(tag)
  // A human who writes about a tag does not close it.
  if (tag === undefined || reading === undefined || !text.includes(`</${tag}>`, from)) return undefined
  return reading(text.slice(from), tag)
}

/** Where a text goes on after white space and the injections in front of it; its length when nothing else is in it. */
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
