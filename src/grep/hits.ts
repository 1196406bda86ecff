// Which lines of an event's texts match, and which events count: kind, time, tool. Drops hits that repeat an earlier one. It
// reads no file.

import { type Instant, toMillis } from '../base/instant.ts'
import type { EventKind, SessionEvent } from '../model/event.ts'
import type { CallId } from '../model/ids.ts'
import { furtherTexts, shownTexts } from '../session/event-texts.ts'
import type { Expression } from './expression.ts'
import type { ContextLines, FoundLine, LineMatcher } from './lines.ts'

/** What to search for, as plain data. */
export interface GrepOptions {
  expression: Expression
  context: ContextLines
  /** Only these kinds of events; empty means all. */
  kinds: EventKind[]
  /** Only input and output of this tool. */
  tool?: string
  /** Milliseconds since 1970. */
  since?: number
  until?: number
  /** Hits of one session at most. */
  most: number
  /** Only their number is needed. */
  countsOnly: boolean
}

/** A matching line. */
export interface GrepHit extends FoundLine {
  thread: string
  event: string
  kind: EventKind
  at: Instant
  /** The generation of the file that contains it, where that is not the current one. */
  generation?: number
  /** It is in a file next to the log. */
  isSpilled?: true
}

export class EventSearch {
  private readonly options: GrepOptions
  private readonly matcher: LineMatcher
  /** Whether events without a time count. */
  private readonly countsTimeless: boolean
  private readonly calls = new Set<CallId>()

  constructor(options: GrepOptions, matcher: LineMatcher, countsTimeless: boolean) {
    this.options = options
    this.matcher = matcher
    this.countsTimeless = countsTimeless
  }

  hitsOf(event: SessionEvent): GrepHit[] {
    const { thread, id, kind, at } = event
    const hits: GrepHit[] = []
    this.eachText(event, text => {
      const lines = this.matcher.find(text)
      for (const line of lines) hits.push({ thread, event: id, kind, at, ...line })
      return lines.length
    })
    return hits
  }

  countOf(event: SessionEvent): number {
    return this.eachText(event, text => this.matcher.count(text))
  }

  /** Whether kind and time are those of the query. */
  isInScope({ kind, at }: Pick<SessionEvent, 'kind' | 'at'>): boolean {
    const { kinds, since, until } = this.options
    if (kinds.length > 0 && !kinds.includes(kind)) return false
    if (since === undefined && until === undefined) return true
    const time = toMillis(at)
    if (time === null) return this.countsTimeless
    return (since === undefined || time >= since) && (until === undefined || time < until)
  }

  /** Whether the call is one of the tool in question, where there is one. */
  isCallInScope(callId: CallId | undefined): boolean {
    return this.options.tool === undefined || (callId !== undefined && this.calls.has(callId))
  }

  /** `take` returns how often a text matches. What repeats the output in another form counts where the output does not. */
  private eachText(event: SessionEvent, take: (text: string) => number): number {
    const { tool } = this.options
    if (tool !== undefined) this.noteCalls(event, tool)
    if (!this.isInScope(event)) return 0
    let found = 0
    for (const { text, callId } of shownTexts(event)) if (this.isCallInScope(callId)) found += take(text)
    if (found > 0 || (tool !== undefined && !this.isResultOfCall(event))) return found
    for (const text of furtherTexts(event)) found += take(text)
    return found
  }

  private isResultOfCall(event: SessionEvent): boolean {
    return event.blocks.some(block => block.type === 'tool-result' && this.calls.has(block.callId))
  }

  private noteCalls(event: SessionEvent, tool: string): void {
    for (const block of event.blocks) {
      if (block.type === 'tool-call' && isToolNamed(block.name, tool)) this.calls.add(block.callId)
    }
  }
}

/** A tool's whole name, or the part of an MCP tool's name that its server gave it. */
export function isToolNamed(name: string, query: string): boolean {
  const lower = name.toLowerCase()
  const text = query.toLowerCase()
  return lower === text || lower.endsWith(`__${text}`) || lower.startsWith(`${text}__`)
}

/** Lines that Claude Code writes again and again, each time with the same text. */
const repeatedKinds: ReadonlySet<EventKind> = new Set<EventKind>(['title', 'state', 'progress', 'queue'])
const mostRemembered = 200_000

export function isRepeatedKind(kind: EventKind): boolean {
  return repeatedKinds.has(kind)
}

/** Drops hits of one session that repeat an earlier one: repeated kinds of events, earlier generations, spilled output. */
export class RepeatFilter {
  private readonly seen = new Set<string>()
  private readonly remembersAll: boolean

  /** `hasCopies`: a text of the session may be in more than one file. */
  constructor(hasCopies: boolean) {
    this.remembersAll = hasCopies
  }

  isNew({ kind, generation, isSpilled, length, snippet }: GrepHit): boolean {
    const mayRepeat = repeatedKinds.has(kind) || generation !== undefined || isSpilled === true
    if (!this.remembersAll && !mayRepeat) return true
    const key = `${kind} ${length} ${snippet}`
    if (mayRepeat && this.seen.has(key)) return false
    if (this.seen.size < mostRemembered) this.seen.add(key)
    return true
  }
}
