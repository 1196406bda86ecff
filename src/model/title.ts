// The rule by which a session gets its title, for all that need one: the graph, and summaries that are made while reading.
// It does not find out which branch summary is meant; that needs the session's nodes.

import { isTask, taskText } from './agent.ts'
import type { SessionEvent } from './event.ts'
import { copiedFrom } from './origin.ts'
import type { SessionState, TitleSource } from './session.ts'
import { isBareCommand, typedIn, typedText } from './typed-text.ts'

export interface Title {
  title: string
  titleFrom: TitleSource
}

/** The last-wins lines that name a session. */
export type TitleState = Pick<SessionState, 'customTitle' | 'aiTitle' | 'agentName' | 'lastPrompt'>

/** What a session may be called by when no line names it. */
export interface TitleFallbacks {
  /** The summary of its active branch. */
  summary?: string | undefined
  /** The first thing a human wrote on the main thread. */
  firstPrompt?: string | undefined
  /** The first command there, before others one with arguments. */
  firstCommand?: string | undefined
  /** The first task of a subagent, for a session that has nothing else. */
  firstTask?: string | undefined
  /** Prompts that the session copied and did not get itself: a `last-prompt` line may name one. */
  copiedPrompts?: ReadonlySet<string>
}

/** Takes note of a line that names the session; the last one of a kind counts. `event` is one of the main thread. */
export function noteTitle(state: TitleState, event: SessionEvent): void {
  if (event.kind === 'state') {
    const prompt = event.detail?.type === 'last-prompt' ? event.detail.lastPrompt : undefined
    if (prompt !== undefined) state.lastPrompt = prompt
    return
  }
  if (event.kind !== 'title') return
  const title = event.detail?.title?.trim()
  if (!title) return
  const { titleFrom } = event.detail ?? {}
  if (titleFrom === 'custom') state.customTitle = title
  else if (titleFrom === 'ai') state.aiTitle = title
  else if (titleFrom === 'agent-name') state.agentName = title
}

/** The tag that a `tag` line gives, empty where it takes the tag off; undefined for other lines. */
export function tagIn({ kind, wireType, detail }: SessionEvent): string | undefined {
  return kind === 'state' && (detail?.type ?? wireType) === 'tag' ? detail?.tag : undefined
}

/** The title that a line of the log gives; undefined where none does. */
export function namedTitle(state: TitleState): Title | undefined {
  const named: [string | undefined, TitleSource][] = [
    [state.customTitle, 'custom'],
    [state.aiTitle, 'ai'],
    [state.agentName, 'agent-name'],
    [lastPromptTitle(state), 'last-prompt'],
  ]
  for (const [title, titleFrom] of named) if (title) return { title, titleFrom }
  return undefined
}

function lastPromptTitle({ lastPrompt }: TitleState): string | undefined {
  return lastPrompt === undefined || isBareCommand(lastPrompt) ? undefined : shortTitle(typedIn([lastPrompt]))
}

/** What it was called, else what it was about, else its id. */
export function chooseTitle(id: string, state: TitleState, fallbacks: TitleFallbacks): Title {
  const { copiedPrompts, firstPrompt } = fallbacks
  const isCopied = state.lastPrompt !== undefined && copiedPrompts?.has(shortTitle(state.lastPrompt)) === true
  const named = namedTitle(isCopied && firstPrompt !== undefined ? withoutLastPrompt(state) : state)
  if (named) return named
  if (fallbacks.summary) return { title: fallbacks.summary, titleFrom: 'summary' }
  const { firstPrompt: typed, firstCommand, firstTask } = fallbacks
  const prompt = typed ?? firstCommand ?? state.lastPrompt?.trim() ?? firstTask
  return prompt ? { title: prompt, titleFrom: 'first-prompt' } : { title: id, titleFrom: 'id' }
}

function withoutLastPrompt({ lastPrompt: _, ...state }: TitleState): TitleState {
  return state
}

/** Prompts by which a session may be called: its own, and where it has none those that it copied. */
export class PromptTitles {
  private readonly own: TitleFallbacks = {}
  private readonly copied: TitleFallbacks = {}
  private readonly ownPrompts = new Set<string>()
  private readonly copiedPrompts = new Set<string>()

  /** `event` is one of the main thread. */
  see(event: SessionEvent): void {
    const isOwn = copiedFrom(event) === undefined
    noteFirstPrompt(isOwn ? this.own : this.copied, event)
    // Nearly all sessions have copied nothing.
    if (event.kind !== 'prompt' || (isOwn && this.copiedPrompts.size === 0)) return
    const prompts = isOwn ? this.ownPrompts : this.copiedPrompts
    prompts.add(shortTitle(typedText(event)))
  }

  /** `event` is one of a subagent's thread. */
  seeAgent(event: SessionEvent): void {
    noteFirstTask(this.own, event)
  }

  fallbacks(): TitleFallbacks {
    const { firstPrompt, firstCommand, firstTask } = this.own
    if (firstPrompt === undefined && firstCommand === undefined) return { firstTask, ...this.copied }
    const copiedPrompts = new Set([...this.copiedPrompts].filter(text => !this.ownPrompts.has(text)))
    return { ...this.own, copiedPrompts }
  }
}

/** Takes note of the first prompt and the first command; `event` is one of the main thread. */
export function noteFirstPrompt(fallbacks: TitleFallbacks, event: SessionEvent): void {
  if (fallbacks.firstPrompt !== undefined) return
  if (event.kind === 'prompt') {
    const text = typedText(event)
    if (text !== '') fallbacks.firstPrompt = shortTitle(text)
  } else if (event.kind === 'command') {
    const { firstCommand: known = '' } = fallbacks
    const command = shortTitle(typedText(event))
    if (known === '' || (isBareCommand(known) && !isBareCommand(command))) fallbacks.firstCommand = command || undefined
  }
}

/** Takes note of the first task of a subagent; `event` is one of another thread than the main one. */
export function noteFirstTask(fallbacks: TitleFallbacks, event: SessionEvent): void {
  if (fallbacks.firstTask !== undefined || !isTask(event)) return
  const task = shortTitle(taskText(event))
  if (task !== '') fallbacks.firstTask = task
}

const longestTitle = 200

/** One line of at most 200 characters. It looks no further: a prompt may be megabytes long. */
function shortTitle(text: string): string {
  const whole = text.trim()
  const blanks = /\s+/g
  let line = ''
  for (let at = 0; at < whole.length && line.length <= longestTitle; ) {
    const gap = blanks.exec(whole)
    const end = gap?.index ?? whole.length
    line += whole.slice(at, Math.min(end, at + 2 * longestTitle))
    if (gap !== null) line += gap[0].includes('\n') ? ' ' : gap[0]
    at = gap === null ? whole.length : blanks.lastIndex
  }
  if (line.length <= longestTitle) return line
  // A pair of surrogates is one character and is not cut in two.
  const end = /[\ud800-\udbff]/.test(line.charAt(longestTitle - 1)) ? longestTitle - 1 : longestTitle
  return `${line.slice(0, end).trimEnd()}…`
}
