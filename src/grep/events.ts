// What of an event matches, and what else is asked of it: kind, time, tool. It reads nothing and remembers only which calls
// are the tool's.

import { type Instant, toMillis } from '../base/instant.ts'
import { isObject } from '../base/json.ts'
import { isNamed } from '../cli/list/filters.ts'
import { type EventKind, hasFlag, type SessionEvent } from '../model/event.ts'
import type { CallId } from '../model/ids.ts'
import type { LogFile } from '../model/source.ts'
import { furtherTexts, shownTexts } from '../session/event-texts.ts'
import type { Expression } from './expression.ts'
import type { ContextLines, FoundLine, LineMatcher } from './lines.ts'

/** What is looked for, as plain data. */
export interface GrepOptions {
  expression: Expression
  /** Texts of which one must occur; null where none is known. */
  texts: string[] | null
  context: ContextLines
  /** Only these kinds of events; empty means all. */
  kinds: EventKind[]
  /** Only input and output of this tool. */
  tool?: string
  /** Milliseconds since 1970. */
  since?: number
  until?: number
  /** So many matches of a session are enough. */
  most: number
  /** How many there are is all that is asked. */
  countsOnly: boolean
  /** Every match counts, whatever else is said about it: what is found can be counted at once. */
  countsAtOnce?: true
}

/** A matching line. */
export interface GrepHit extends FoundLine {
  thread: string
  event: string
  kind: EventKind
  at: Instant
  /** Which generation of the file it stands in, where that is an earlier one than the file is in now. */
  generation?: number
  /** It stands in a file beside the log. */
  isBeside?: true
}

/** What two matches have in common that are the same one, told again. */
export function keyOf({ kind, length, snippet }: Pick<GrepHit, 'kind' | 'length' | 'snippet'>): string {
  return `${kind} ${length} ${snippet}`
}

export class EventSearch {
  private readonly options: GrepOptions
  private readonly matcher: LineMatcher
  /** Whether what has no time of its own counts. */
  private readonly countsTimeless: boolean
  private readonly calls = new Set<CallId>()

  constructor(options: GrepOptions, matcher: LineMatcher, countsTimeless: boolean) {
    this.options = options
    this.matcher = matcher
    this.countsTimeless = countsTimeless
  }

  hitsOf(event: SessionEvent): GrepHit[] {
    const lines: FoundLine[] = []
    this.eachText(event, text => {
      const found = this.matcher.find(text)
      for (const line of found) lines.push(line)
      return found.length
    })
    const { thread, id, kind, at } = event
    return lines.map(line => ({ thread, event: id, kind, at, ...line }))
  }

  /** Adds the names of matches that count once; how many there are. */
  keysOf(event: SessionEvent, keys: string[]): number {
    const { kind } = event
    return this.eachText(event, text =>
      this.matcher.eachSnippet(text, (snippet, length) => keys.push(keyOf({ kind, length, snippet }))),
    )
  }

  countOf(event: SessionEvent): number {
    return this.eachText(event, text => this.matcher.count(text))
  }

  isAskedFor({ kind, at }: Pick<SessionEvent, 'kind' | 'at'>): boolean {
    const { kinds, since, until } = this.options
    if (kinds.length > 0 && !kinds.includes(kind)) return false
    if (since === undefined && until === undefined) return true
    const time = toMillis(at)
    if (time === null) return this.countsTimeless
    return (since === undefined || time >= since) && (until === undefined || time < until)
  }

  /** Whether the call is one of the tool's, where one is named. */
  isCallAskedFor(callId: CallId | undefined): boolean {
    return this.options.tool === undefined || (callId !== undefined && this.calls.has(callId))
  }

  /** `take` tells how often a text matches. What repeats the output in another form counts where the output does not. */
  private eachText(event: SessionEvent, take: (text: string) => number): number {
    const { tool } = this.options
    if (tool !== undefined) this.noteCalls(event, tool)
    if (!this.isAskedFor(event)) return 0
    let found = 0
    for (const { text, callId } of shownTexts(event)) if (this.isCallAskedFor(callId)) found += take(text)
    if (found > 0 || (tool !== undefined && !this.isResultOfCall(event))) return found
    for (const text of furtherTexts(event)) found += take(text)
    return found
  }

  private isResultOfCall(event: SessionEvent): boolean {
    return event.blocks.some(block => block.type === 'tool-result' && this.calls.has(block.callId))
  }

  private noteCalls(event: SessionEvent, tool: string): void {
    for (const block of event.blocks) {
      if (block.type === 'tool-call' && isNamed(block.name, tool)) this.calls.add(block.callId)
    }
  }
}

/** Whether kind, thread and id are the same whatever stands before it in the file. */
export function isSelfContained(event: SessionEvent, log: LogFile): boolean {
  const { value, type } = event.record
  if (value === undefined || event.dialect !== 'client' || hasFlag(event, 'copy')) return false
  const { message, uuid } = value
  if (typeof uuid === 'string' && !/^[\w-]*$/.test(uuid)) return false
  if (isObject(message) ? typeof message['role'] !== 'string' : type === 'user' || type === 'assistant') return false
  return log.role === 'agent' || value['isSidechain'] !== true || typeof value['agentId'] === 'string'
}
