// Where a large log is divided: before a prompt, so that each part begins a turn, is as large as allowed at most, and is read as
// the continuation of the one before. Parts are the bytes as they are; one behind the other they are the log again.

import { toMillis } from '../../base/instant.ts'
import { asString } from '../../base/json.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { LogRecord } from '../../model/record.ts'

/** Bytes `from` to `to` of the log. */
export interface LogPart {
  from: number
  to: number
}

/** The line of a prompt that begins a part is in what a reader looks at to learn the session and its time. */
const longestFirstLine = 32 * 1024

/** Give it all records of a log, in order. */
export class PartPlan {
  private readonly session: string
  private readonly size: number
  private readonly parts: LogPart[] = []
  private start = 0
  /** The last place where the log can be divided. */
  private border: { offset: number; at: number } | null = null
  /** The latest time that a part begins with: parts are read in the order of these. */
  private begun = Number.NEGATIVE_INFINITY
  private firstTime: number | null = null
  private lastSession: string | undefined
  private readonly open = new Set<string>()

  /** `size`: bytes that a part may have; one turn may have more. */
  constructor(session: string, size: number) {
    this.session = session
    this.size = size
  }

  add(record: LogRecord, event: SessionEvent | null): void {
    const time = toMillis(record.value?.['timestamp'])
    if (event !== null && this.isBorder(record, event, time)) this.takeBorder(record.offset, time as number)
    if (this.firstTime === null && time !== null) {
      this.firstTime = time
      this.begun = Math.max(this.begun, time)
    }
    this.lastSession = asString(record.value?.['sessionId']) ?? this.lastSession
    for (const block of event?.blocks ?? []) {
      if (block.type === 'tool-call') this.open.add(block.callId)
      else if (block.type === 'tool-result') this.open.delete(block.callId)
    }
    if (event?.kind === 'prompt') this.open.clear()
  }

  /** `bytes`: how many the log has. */
  end(bytes: number): LogPart[] {
    if (bytes - this.start > this.size) this.divide()
    return [...this.parts, { from: this.start, to: bytes }]
  }

  /** Whether what follows is read the same in a file of its own. */
  private isBorder(
    { value, status, bytes, part, marks }: LogRecord,
    event: SessionEvent,
    time: number | null,
  ): boolean {
    if (event.kind !== 'prompt' || (event.thread as string) !== this.session || value === undefined) return false
    const isPlain = (marks ?? []).every(mark => mark === 'crlf' || mark === 'no-newline')
    const isWhole = status === 'known' && part === undefined && isPlain && bytes <= longestFirstLine
    const isNamed = typeof value['uuid'] === 'string' && value['sessionId'] === this.session
    const isLinked = typeof value['parentUuid'] === 'string' || value['parentUuid'] === null
    const isLater = time !== null && this.firstTime !== null && time > this.begun
    // 003 pairs results with calls by their place.
    const isAnswered = event.dialect !== 's3' || this.open.size === 0
    return isWhole && isNamed && isLinked && isLater && isAnswered && this.lastSession === this.session
  }

  private takeBorder(offset: number, at: number): void {
    if (offset - this.start > this.size) this.divide()
    // A turn that is too large by itself is a part.
    this.border = { offset, at }
    if (offset - this.start > this.size) this.divide()
  }

  private divide(): void {
    if (this.border === null) return
    const { offset, at } = this.border
    this.parts.push({ from: this.start, to: offset })
    this.start = offset
    this.border = null
    this.begun = Math.max(this.begun, at)
  }
}

/** Parts are numbered so that names sort as they follow each other, and none can be missed. */
export function partName(stem: string, number: number, count: number): string {
  const digits = Math.max(3, String(count).length)
  return `${stem}.${String(number).padStart(digits, '0')}-of-${String(count).padStart(digits, '0')}.jsonl`
}

export interface NamedPart {
  stem: string
  number: number
  count: number
}

/** What the name of a part says; null where it is none. */
export function readPartName(name: string): NamedPart | null {
  const found = /^(.+)\.(\d{3,9})-of-(\d{3,9})\.jsonl$/.exec(name)
  return found === null ? null : { stem: found[1] ?? '', number: Number(found[2]), count: Number(found[3]) }
}
