// One log that is written to: its end as it is known, what others append meanwhile, and events as lines behind it. It is one
// file, the session's or a subagent's; which files a session has is up to session-writer.ts.

import { randomUUID } from 'node:crypto'
import { jsonText } from '../base/json.ts'
import { EventDecoder, type EventOptions, RecordDecoder } from '../decode/decode.ts'
import { DialectReader } from '../decode/dialect.ts'
import { largestLine } from '../decode/lines.ts'
import { isBeside, isChainEvent, type SessionEvent } from '../model/event.ts'
import type { LogRecord } from '../model/record.ts'
import type { AppendFile } from './append-file.ts'
import type { Lease } from './lease.ts'
import { dialectForms, type WireDialect } from './wire/dialects.ts'
import { Encoder, type EncoderOptions, type WrittenRecord } from './wire/encoder.ts'
import { WriteError } from './wire/error.ts'
import type { Loss, NewEvent } from './wire/new-event.ts'
import { statedLosses, type WrittenNames } from './wire/stated.ts'

/** When what was appended is on the disk: whenever the system wants, after what ends a turn, or before each answer. */
export type SyncPolicy = 'none' | 'turn' | 'record'

/** What became of an event. */
export interface Appended {
  /** The last record that it became, by which it can be named as a parent; null where it has none. */
  id: string | null
  /** All records of the chain that it became. */
  ids: string[]
  /** What the dialect could not say of it; all of it where the path is empty. */
  losses: Loss[]
}

export interface LogOptions {
  dialect: WireDialect
  sync: SyncPolicy
  encoder: Omit<EncoderOptions, 'newId' | 'now' | 'isStrict'>
  /** What the file's name says of it. */
  decode: EventOptions
}

/** How much of the end of a file is read to continue it; twice as much where no record is in it. */
export const tailBytes = 128 * 1024

/** What lines of subagents that they carry say is not theirs. */
export function ownEvents(records: readonly LogRecord[], decoder: EventDecoder): SessionEvent[] {
  return records.flatMap(record => decoder.decode(record).slice(0, 1))
}

export class SessionLog {
  readonly file: AppendFile
  readonly options: LogOptions
  private readonly lease: Lease
  private encoder: Encoder
  private events: EventDecoder
  private dialects: DialectReader
  /** Where the first line begins that was not read whole. */
  private readTo = 0
  /** Before this nothing was read. */
  private readFrom = 0
  /** Lines that are known, so that places of new ones can be named. */
  private lines = 1
  /** Ids of calls as they were given → as they are read. */
  private readonly calls = new Map<string, string>()
  /** One thing after the other, in the order of the calls. */
  private queue: Promise<unknown> = Promise.resolve()
  /** How many there are. */
  private waiting = 0
  private hasUnsynced = false

  constructor(file: AppendFile, lease: Lease, options: LogOptions) {
    this.file = file
    this.lease = lease
    this.options = options
    this.encoder = this.newEncoder()
    this.events = new EventDecoder({ ...options.decode, data: true })
    this.dialects = new DialectReader(file.path)
  }

  /** Reads the end of a file that is there. */
  open(): void {
    this.readTail()
  }

  /** Appends events in one write. */
  async append(events: readonly NewEvent[]): Promise<Appended[]> {
    // In the middle of a burst nothing has to be waited for.
    if (this.waiting === 0 && this.lease.isHeld && !events.some(event => this.isElsewhere(event))) {
      this.catchUp(false)
      return this.write(events)
    }
    return this.inTurn(async () => {
      for (const event of events) if (this.isElsewhere(event)) await this.readEarlier()
      await this.takeLease()
      return this.write(events)
    })
  }

  /** Makes events of what is known under the lease, and appends them in one write. */
  appendMade(make: (log: SessionLog) => readonly NewEvent[]): Promise<Appended[]> {
    return this.inTurn(async () => {
      await this.takeLease()
      return this.write(make(this))
    })
  }

  /** All events of the file, read from its beginning. */
  readAll(): SessionEvent[] {
    const { records } = this.decoded(0, this.file.size, new RecordDecoder(this.file.path))
    const events = new EventDecoder({ ...this.options.decode, data: true })
    return ownEvents(records, events)
  }

  /** Events of the end of the file, as many as are enough. */
  eventsBack(isEnough: (events: readonly SessionEvent[]) => boolean): SessionEvent[] {
    const { size } = this.file
    for (let window = tailBytes; ; window *= 4) {
      const from = window >= size ? 0 : this.lineAfter(size - window, size)
      const place = { offset: from, number: 1 }
      const { records } = this.decoded(
        from,
        size,
        new RecordDecoder(this.file.path, { place, dialects: this.dialects.save() }),
      )
      const decoder = new EventDecoder({ ...this.options.decode, data: true })
      const events = ownEvents(records, decoder)
      if (from === 0 || isEnough(events)) return events
    }
  }

  /** The record where a thread ends, and the calls that are open there. */
  get state(): Pick<
    Encoder,
    'leafOf' | 'openOf' | 'isKnown' | 'recordsOf' | 'recordOfCall' | 'startAgent' | 'lastPrompt' | 'form'
  > {
    return this.encoder
  }

  /** Does something between two appends, with what others wrote taken note of. */
  look<Result>(work: () => Result): Promise<Result> {
    return this.inTurn(async () => {
      await this.takeLease()
      return work()
    })
  }

  /** Reads what is before the tail, unless it is known. */
  readWhole(): Promise<void> {
    return this.inTurn(() => this.readEarlier())
  }

  close(last: (log: SessionLog) => WrittenRecord | null): Promise<void> {
    return this.inTurn(async () => {
      try {
        const record = this.isTouched ? last(this) : null
        if (record !== null) {
          await this.takeLease()
          this.file.append(linesOf([record], this.file.path), false)
        }
        if (this.options.sync !== 'none' && this.hasUnsynced) this.file.sync()
      } finally {
        this.file.close()
        this.lease.end()
      }
    })
  }

  /** Whether anything was appended to the chain. */
  private isTouched = false

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.waiting++
    const result = this.queue.then(work).finally(() => this.waiting--)
    this.queue = result.catch(() => {})
    return result
  }

  private async takeLease(): Promise<void> {
    const isFresh = !this.lease.isHeld
    if (isFresh) await this.lease.hold()
    this.catchUp(isFresh)
  }

  private write(events: readonly NewEvent[]): Appended[] {
    const groups = this.encoder.encodeAll(events)
    const records = groups.flat()
    let offset: number
    try {
      if (records.length === 0) return events.map((event, at) => this.appended(event, groups[at] ?? [], []))
      const lines = linesOf(records, this.file.path)
      const isSynced = this.isSynced(events)
      offset = this.file.append(lines, isSynced)
      this.hasUnsynced = !isSynced
    } catch (error) {
      this.encoder.rollback()
      throw error
    }
    this.isTouched ||= records.some(({ id }) => id !== undefined)
    this.readTo = this.file.size
    return events.map((event, at) => {
      const own = groups[at] ?? []
      const read = own.flatMap(({ value }) => this.events.decode(this.recordOf(value, offset++)).slice(0, 1))
      this.noteCalls(event, read)
      return this.appended(event, own, read)
    })
  }

  /** `offset`: any that no other record has: only ids of records without a uuid are made of it. */
  private recordOf(value: WrittenRecord['value'], offset: number): LogRecord {
    const { dialect, type, subtype, status } = this.dialects.classify(value)
    const record = { file: this.file.path, line: this.lines++, offset, bytes: 0, dialect, type, status, value }
    return subtype === undefined ? record : { ...record, subtype }
  }

  private appended(event: NewEvent, records: readonly WrittenRecord[], read: SessionEvent[]): Appended {
    const ids = records.flatMap(({ id }) => id ?? [])
    const id = ids.at(-1) ?? null
    const name = event.id ?? id ?? event.kind
    return { id, ids, losses: statedLosses(event, read, this.names, this.encoder.form, name) }
  }

  /** 003 has no ids of calls: they are read as those of their records. */
  private noteCalls({ blocks = [] }: NewEvent, read: readonly SessionEvent[]): void {
    if (this.encoder.form.envelope !== 's3') return
    const given = blocks.flatMap(block => (block.type === 'tool-call' ? [block.callId as string] : []))
    const made = read.flatMap(event =>
      event.blocks.flatMap(block => (block.type === 'tool-call' ? [block.callId] : [])),
    )
    if (made.length === given.length) for (const [at, call] of given.entries()) this.calls.set(call, made[at] as string)
  }

  private readonly names: WrittenNames = {
    record: event => this.encoder.recordsOf(event).at(-1) ?? event,
    call: call => this.calls.get(call) ?? call,
  }

  private isSynced(events: readonly NewEvent[]): boolean {
    const { sync } = this.options
    return sync === 'record' || (sync === 'turn' && events.some(endsTurn))
  }

  /** Whether an event names what may be before the part that was read. An id of its own must not be there either. */
  private isElsewhere({ id, parent, blocks = [] }: NewEvent): boolean {
    if (this.readFrom === 0) return false
    if (id !== undefined || (typeof parent === 'string' && !this.encoder.isKnown(parent))) return true
    return blocks.some(block => block.type === 'tool-result' && !this.encoder.hasCall(block.callId))
  }

  private catchUp(isFresh: boolean): void {
    const change = this.file.look(isFresh)
    if (change === 'none') return
    if (change === 'other') {
      this.readTail()
      return
    }
    const end = this.file.grow()
    this.absorbFrom(this.readTo, end)
  }

  private readTail(): void {
    const size = this.file.open()
    this.encoder = this.newEncoder()
    for (let window = tailBytes; ; window *= 2) {
      const from = Math.max(0, size - window)
      this.events = new EventDecoder({ ...this.options.decode, data: true })
      this.dialects = new DialectReader(this.file.path)
      this.readFrom = from === 0 ? 0 : this.lineAfter(from, size)
      const found = this.absorbFrom(this.readFrom, size)
      if (from === 0 || found.some(event => isChainEvent(event) && !isBeside(event))) return
    }
  }

  /** Where the first line begins behind a place. */
  private lineAfter(from: number, size: number): number {
    const at = this.file.read(from, size).indexOf(newlineByte)
    return at < 0 ? size : from + at + 1
  }

  private absorbFrom(from: number, to: number): SessionEvent[] {
    const decoder = new RecordDecoder(this.file.path, {
      place: { offset: from, number: this.lines },
      dialects: this.dialects.save(),
    })
    const { records, readTo } = this.decoded(from, to, decoder)
    this.dialects = new DialectReader(this.file.path, decoder.save().dialects)
    this.readTo = readTo
    this.lines += records.length
    const found = ownEvents(records, this.events)
    for (const event of found) this.encoder.absorb(event)
    return found
  }

  /** `readTo`: where a last line begins that has no end; it may be a record all the same. */
  private decoded(from: number, to: number, decoder: RecordDecoder): { records: LogRecord[]; readTo: number } {
    const records: LogRecord[] = []
    for (let at = from; at < to; at += pieceBytes)
      records.push(...decoder.push(this.file.read(at, Math.min(to, at + pieceBytes))))
    const readTo = decoder.save().place.offset
    records.push(...decoder.end())
    return { records, readTo }
  }

  /** What is before the tail does not change: it is read without the lease, with turns for others between. */
  private async readEarlier(): Promise<void> {
    const to = this.readFrom
    if (to === 0) return
    const decoder = new RecordDecoder(this.file.path)
    const events = new EventDecoder({ ...this.options.decode })
    const absorb = (records: readonly LogRecord[]): void => {
      for (const event of ownEvents(records, events)) this.encoder.absorb(event, { isEarlier: true })
    }
    for (let at = 0; at < to; at += pieceBytes) {
      absorb(decoder.push(this.file.read(at, Math.min(to, at + pieceBytes))))
      await new Promise(done => setImmediate(done))
    }
    absorb(decoder.end())
    this.readFrom = 0
  }

  private newEncoder(): Encoder {
    const { dialect, encoder } = this.options
    return new Encoder(dialect, { ...encoder, newId: randomUUID, now: Date.now })
  }

  get form(): (typeof dialectForms)[WireDialect] {
    return dialectForms[this.options.dialect]
  }
}

const newlineByte = 0x0a
const pieceBytes = 1024 * 1024

/** What people would not like to lose: what was typed, and an answer that is complete. */
function endsTurn({ kind, message, detail }: NewEvent): boolean {
  if (kind === 'prompt' || kind === 'compact-summary') return true
  if (kind === 'answer') return message?.stopReason === 'end_turn'
  return kind === 'notice' && detail?.['subtype'] === 'turn_duration'
}

function linesOf(records: readonly WrittenRecord[], path: string): Buffer {
  const lines = records.map(({ value }) => `${jsonText(value)}\n`)
  for (const line of lines) {
    // A sign has at most three bytes for each of its code units.
    if (line.length * 3 > largestLine && Buffer.byteLength(line) > largestLine)
      throw new WriteError('too-large', 'A record has more than 64 MiB, which no reader takes.', path)
  }
  return Buffer.from(lines.length === 1 ? (lines[0] as string) : lines.join(''))
}
