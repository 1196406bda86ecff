// Tells what a human typed from what the client, hooks, tasks and teammates put into `user` records.
// It looks at how a text begins; the records' own flags (isMeta, isCompactSummary, origin) are weighed by the caller.

import type { Actor, EventKind } from '../model/event.ts'

export interface TextMeaning {
  kind: EventKind
  actor: Actor
  detail?: Record<string, unknown>
}

interface TextRule {
  starts: RegExp
  meaning(text: string): TextMeaning
}

const rules: readonly TextRule[] = [
  {
    starts: /^\[Request interrupted by user/,
    meaning: text => ({
      kind: 'interruption',
      actor: 'client',
      detail: { forToolUse: text.startsWith('[Request interrupted by user for tool use') },
    }),
  },
  { starts: /^<command-(name|message|args)>/, meaning: slashCommand },
  {
    starts: /^<bash-input>/,
    meaning: text => ({
      kind: 'command',
      actor: 'human',
      detail: { command: tagged(text, 'bash-input'), mode: 'bash' },
    }),
  },
  { starts: /^<(local-command|bash)-(stdout|stderr)>/, meaning: () => ({ kind: 'command-output', actor: 'client' }) },
  {
    starts: /^<task-notification>/,
    meaning: text => ({ kind: 'notification', actor: 'client', detail: { notification: taskNotification(text) } }),
  },
  { starts: /^<teammate-message[\s>]/, meaning: () => ({ kind: 'notification', actor: 'agent' }) },
  {
    starts: /^<(tick|goal|ci-monitor-event|channel|monitor-event|agent-notification|cross-session-message)[\s>]/,
    meaning: () => ({ kind: 'notification', actor: 'client' }),
  },
  { starts: /^<[a-z-]+-hook>/, meaning: () => ({ kind: 'hook', actor: 'client' }) },
  {
    starts: /^(<local-command-caveat>|Caveat: The messages below)/,
    meaning: () => ({ kind: 'meta', actor: 'client' }),
  },
]

/** The meaning of a user's text that nobody typed as a prompt; undefined for a prompt. */
export function meaningOfText(texts: readonly string[]): TextMeaning | undefined {
  const typed = texts.map(withoutInjections).filter(text => text !== '')
  if (typed.length === 0) return texts.length === 0 ? undefined : { kind: 'meta', actor: 'client' }
  const first = typed[0] as string
  return rules.find(rule => rule.starts.test(first))?.meaning(first)
}

const injected = /^<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>[\s\S]*?<\/\1>\s*/

/** A text without the reminders and editor notes in front of it; '' when it holds nothing else. */
export function withoutInjections(text: string): string {
  let rest = text.trimStart()
  while (rest.startsWith('<')) {
    const shorter = rest.replace(injected, '')
    if (shorter === rest) break
    rest = shorter
  }
  return rest.trimEnd() === '' ? '' : rest
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

/** `<task-notification><task-id>…</task-id><status>…`: how a background task ended. */
export function taskNotification(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  const names = {
    taskId: 'task-id',
    toolUseId: 'tool-use-id',
    outputFile: 'output-file',
    status: 'status',
    summary: 'summary',
  }
  for (const [name, tag] of Object.entries(names)) {
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
