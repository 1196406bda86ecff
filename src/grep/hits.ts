// Which lines of an event's texts match, and which events count: kind, time, tool. Drops hits that repeat an earlier one. It
// reads no file.

import { type Instant, toMillis } from '../base/instant.ts'
import type { EventKind, SessionEvent } from '../model/event.ts'
import type { CallId } from '../model/ids.ts'
import { fieldOfFurther, furtherTexts, shownTexts } from '../session/event-texts.ts'
import { type TextField, type TextKind, textKindOf } from '../session/text-kinds.ts'
import type { Expression } from './expression.ts'
import type { FoundLine, LineMatcher, LineOptions } from './lines.ts'
import { mostSlowLines } from './time-limit.ts'

/** What to search for, as plain data. */
export interface GrepOptions extends LineOptions {
  expression: Expression
  /** Only texts that are called so; empty means all. */
  kinds: TextKind[]
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
  /** What the text is called. */
  label: TextKind
  at: Instant
  /** The generation of the file that contains it, where that is not the current one. */
  generation?: number
  /** It is in a file next to the log. */
  isSpilled?: true
}

/** A line on which the expression took too long. */
export interface SkippedLine {
  event: string
  /** Its number in the text. */
  line: number
}

/** What was found since the last batch: hits, or only their number where that is enough. */
export interface GrepBatch {
  hits: GrepHit[]
  count: number
  /** Lines on which the expression took too long. */
  skipped: SkippedLine[]
  /** Files that could not be read. */
  problems: UnreadFile[]
  /** Lines that are too long to be decoded: they were not searched. */
  oversized: OversizedLine[]
  /** The last one of its session. */
  isLast: boolean
}

/** A file that could not be read from this byte on, with the system's code. */
export interface UnreadFile {
  path: string
  offset: number
  code: string
}

export interface OversizedLine {
  path: string
  /** In bytes. */
  offset: number
}

export class EventSearch {
  private readonly options: GrepOptions
  private readonly matcher: LineMatcher
  /** Whether events without a time count. */
  private readonly countsTimeless: boolean
  private readonly calls = new Set<CallId>()
  /** Each line has a time limit. */
  private readonly isSlow: boolean
  /** Of the events since the caller last emptied it. */
  readonly skipped: SkippedLine[] = []

  constructor(options: GrepOptions, matcher: LineMatcher, countsTimeless: boolean, isSlow = false) {
    this.options = options
    this.matcher = matcher
    this.countsTimeless = countsTimeless
    this.isSlow = isSlow
  }

  hitsOf(event: SessionEvent): GrepHit[] {
    const { thread, id, kind, at } = event
    const hits: GrepHit[] = []
    this.eachText(event, (text, label) => {
      const lines = this.linesOf(text, id)
      for (const line of lines) hits.push({ thread, event: id, kind, label, at, ...line })
      return lines.length
    })
    return hits
  }

  countOf(event: SessionEvent): number {
    return this.eachText(event, text => (this.isSlow ? this.linesOf(text, event.id).length : this.matcher.count(text)))
  }

  /** The lines of a text of an event that are found. */
  linesOf(text: string, event: string): FoundLine[] {
    if (!this.isSlow) return this.matcher.find(text)
    if (this.skipped.length >= mostSlowLines) return []
    const { found, skipped } = this.matcher.findSlowly(text)
    for (const line of skipped) this.skipped.push({ event, line })
    return found
  }

  /** Whether the query is about texts that are called so. */
  isWanted(label: TextKind): boolean {
    const { kinds } = this.options
    return kinds.length === 0 || kinds.includes(label)
  }

  /** Whether the time is that of the query. */
  isInScope({ at }: Pick<SessionEvent, 'at'>): boolean {
    const { since, until } = this.options
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
  private eachText(event: SessionEvent, take: (text: string, label: TextKind) => number): number {
    const { tool, isInverted } = this.options
    if (tool !== undefined) this.noteCalls(event, tool)
    if (!this.isInScope(event)) return 0
    const takeFrom = (text: string, field: TextField) => {
      const label = textKindOf(event.kind, field)
      return this.isWanted(label) ? take(text, label) : 0
    }
    let found = 0
    const shown = shownTexts(event)
    for (const { text, field, callId } of shown) if (this.isCallInScope(callId)) found += takeFrom(text, field)
    // The same text in another form would take as long again.
    if (found > 0 || this.skipped.length > 0 || (isInverted === true && shown.length > 0)) return found
    if (tool !== undefined && !this.isResultOfCall(event)) return found
    for (const text of furtherTexts(event)) found += takeFrom(text, fieldOfFurther(event.kind))
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
