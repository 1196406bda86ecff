// Rows of a file → its events again, as thin as rows are: who, when, where, calls and outcomes, hardly any text. The analysis
// that works on events works on these. What a row keeps is decided where it is made; no log is read here.

import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../base/json.ts'
import type { Block, Flag, SessionEvent, ToolCallBlock, ToolResultBlock } from '../../model/event.ts'
import { callId, eventId } from '../../model/ids.ts'
import type { LogRecord } from '../../model/record.ts'
import { flagsToNumber, numberToActor, numberToFlags, numberToKind } from '../ingest/rows.ts'
import type { WrittenRows } from '../ingest/written.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import { contentForms, contentShift, type Rest, structuredShift, structuredTypes, withoutParent } from './thin-facts.ts'
import { InstantText } from './thin-instant.ts'
import { type Origin, ThinNames } from './thin-names.ts'
import { type ColumnChoice, Columns, type ReadColumns, storedColumns } from './thin-rows.ts'

/** What a file's rows are known by. */
export interface ThinFile {
  /** Its id in the index. */
  id: number
  /** Stands in the events' sources. */
  path: string
  /** How many of its first events are left out. */
  from?: number
}

/**
 * `settle`: what titles, counts, threads and turns are made of, without the place of a record and what a message says besides.
 * `stats`: also paths that calls name, and how results were written.
 */
export type ThinPurpose = 'settle' | 'events' | 'stats'

const choices: Record<ThinPurpose, ColumnChoice> = { settle: 'lean', events: 'whole', stats: 'paths' }

const flagBits = (1 << structuredShift) - 1
const plainBits = flagBits & ~flagsToNumber(['sidechain'])
const noBlocks: Block[] = []
const noFlags: Flag[] = []

/** Events that are read at once, so that a large file's rows do not stand in memory twice. */
const stretch = 16_384

/** Reads files one after the other; what it remembers of names and origins holds as long as nothing is rolled back. */
export class ThinReader {
  private readonly purpose: ThinPurpose
  private readonly columns: Columns
  private readonly names: ThinNames
  private readonly flagLists = new Map<number, Flag[]>()
  private readonly instants = new InstantText()
  private readonly written: WrittenRows | undefined

  /** `written`: rows that need not be read back; they are told as settling needs them. */
  constructor(db: Database, purpose: ThinPurpose = 'events', written?: WrittenRows) {
    this.purpose = purpose
    this.columns = new Columns(db)
    this.names = new ThinNames(db)
    this.written = purpose === 'settle' ? written : undefined
  }

  /** The events of a file, those of a last line without end included. */
  events(file: ThinFile): SessionEvent[] {
    const first = file.id * eventsPerFile + (file.from ?? 0)
    const events: SessionEvent[] = []
    const written = first === file.id * eventsPerFile ? this.written?.columns(file.id) : undefined
    if (written !== undefined) this.addStretch(written, file.path, first, events)
    else this.readBack(file, first, events)
    if (events.length > 0) this.addDetails((written ?? this.stored(file.id))('state'), first, events)
    return events
  }

  private readBack({ id, path }: ThinFile, first: number, events: SessionEvent[]): void {
    // Rows of one file lie without a gap: an id tells the place.
    for (let from = first; from === first + events.length; from += stretch) {
      this.addStretch(this.stored(id, from, from + stretch), path, first, events)
      if (events.length === from - first) return
    }
  }

  private stored(file: number, ...range: readonly number[]): ReadColumns {
    return storedColumns(this.columns, choices[this.purpose], file, range)
  }

  private addStretch(read: ReadColumns, path: string, first: number, events: SessionEvent[]): void {
    const before = events.length
    this.addEvents(read, path, events)
    if (events.length === before) return
    const rests = this.rests(read, first, events)
    this.addMessages(read, first, events)
    this.addCalls(read, first, events, rests)
    this.addResults(read, first, events, rests)
    this.addDetails(read('detail'), first, events)
  }

  private addEvents(read: ReadColumns, file: string, events: SessionEvent[]): void {
    const isWhole = this.purpose !== 'settle'
    const columns = read('event')
    const [times, marks, keys, parents, origins] = columns as [
      number[],
      number[],
      (string | number)[],
      unknown[],
      number[],
    ]
    const [offsets, bytes, lines] = columns.slice(5) as number[][]
    let previous = events.at(-1)?.id ?? null
    for (let at = 0; at < marks.length; at++) {
      const origin = this.names.origin(origins[at] as number)
      const above = parents[at] === 1 ? previous : (parents[at] as SessionEvent['parent'])
      const event = this.event(origin, keys[at] as string | number, above, marks[at] as number, file)
      const time = times[at]
      if (typeof time === 'number') event.at = this.instants.of(time)
      if (isWhole) place(event.record, offsets?.[at] ?? 0, bytes?.[at] ?? 0, lines?.[at] ?? 0)
      events.push(event)
      previous = event.id
    }
  }

  /** `key`: its uuid, or the offset by which it is named. */
  private event(
    origin: Origin,
    key: string | number,
    parent: SessionEvent['parent'],
    marks: number,
    file: string,
  ): SessionEvent {
    const id = typeof key === 'string' ? key : `${origin.session}@${key}`
    const bits = marks >> 7
    const flags = (bits & flagBits) === 0 ? noFlags : this.flags(bits & flagBits)
    const value = fieldsOf(origin, typeof key === 'string' ? uuidOf(key, flags) : undefined, parent, bits)
    if (this.purpose === 'stats') addWritten(value, bits)
    const { dialect, wireType, session, thread, version, cwd, gitBranch } = origin
    const record: LogRecord = { file, line: 0, offset: 0, bytes: 0, dialect, type: wireType, status: 'known', value }
    // All fields at once, also those that are set later or never: an object that does not change its form costs half.
    return {
      id: eventId(id),
      kind: numberToKind(marks & 31),
      actor: numberToActor((marks >> 5) & 3),
      wireType,
      session,
      thread,
      parent,
      logicalParent: undefined,
      at: null,
      dialect,
      version,
      cwd,
      gitBranch,
      source: record,
      blocks: noBlocks,
      message: undefined,
      flags,
      detail: undefined,
      record,
    } as unknown as SessionEvent
  }

  private flags(bits: number): Flag[] {
    const known = this.flagLists.get(bits)
    if (known !== undefined) return known
    const flags = numberToFlags(bits)
    this.flagLists.set(bits, flags)
    return flags
  }

  private rests(read: ReadColumns, first: number, events: readonly SessionEvent[]): Map<number, Rest> {
    const rests = new Map<number, Rest>()
    const [ids, texts] = read('rest') as [number[], string[]]
    ids.forEach((id, at) => {
      const event = events[id - first]
      const rest = asObject(parseJson(texts[at] ?? '')) as Rest | undefined
      if (event === undefined || rest === undefined) return
      rests.set(id, rest)
      if (rest.logicalParent !== undefined) event.logicalParent = eventId(rest.logicalParent)
      if (rest.contents !== undefined) setField(event, 'message', messageWith(rest.contents))
      if (rest.isStop) event.blocks = [{ type: 'text', text: '[Request interrupted by user]' }]
    })
    return rests
  }

  private addMessages(read: ReadColumns, first: number, events: readonly SessionEvent[]): void {
    const columns = read('message')
    const [ids, messages, requests] = columns as [number[], string[], (string | null)[]]
    const numbers = columns as (number | null)[][]
    for (let at = 0; at < ids.length; at++) {
      const event = events[(ids[at] as number) - first]
      // What a progress line repeats is told by the agent's own records.
      if (event === undefined || event.kind === 'progress') continue
      event.message = this.names.message(messages[at] as string, requests[at] ?? undefined, numbers, at)
    }
  }

  private addCalls(
    read: ReadColumns,
    first: number,
    events: readonly SessionEvent[],
    rests: ReadonlyMap<number, Rest>,
  ): void {
    const columns = read('call')
    const [ids, places, calls, names, paths] = columns as [number[], number[], string[], number[], (number | null)[]]
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] as number
      const event = events[id - first]
      if (event === undefined) continue
      const given = rests.size === 0 ? undefined : rests.get(id)?.calls?.[places[at] as number]
      const path = this.names.name(paths?.[at])
      const input = path === undefined ? (given ?? noInput) : { file_path: path, ...given }
      const name = this.names.name(names[at]) ?? ''
      const block: ToolCallBlock = { type: 'tool-call', callId: callId(calls[at] as string), name, input }
      if (event.dialect === 's3' && block.callId.startsWith('s3:')) block.inferredId = true
      addBlock(event, block)
    }
  }

  private addResults(
    read: ReadColumns,
    first: number,
    events: readonly SessionEvent[],
    rests: ReadonlyMap<number, Rest>,
  ): void {
    const [ids, places, calls, outcomes, images] = read('result') as [number[], number[], string[], number[], number[]]
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] as number
      const event = events[id - first]
      if (event === undefined) continue
      const told = rests.size === 0 ? undefined : rests.get(id)?.results?.[places[at] as number]
      const call = calls[at] as string
      addBlock(event, call === '' ? image : thinResult(event, call, outcomes[at] as number, images[at] === 1, told))
    }
  }

  private addDetails(columns: ReturnType<ReadColumns>, first: number, events: readonly SessionEvent[]): void {
    const [ids, texts] = columns as [number[], string[]]
    ids.forEach((id, at) => {
      addDetail(events[id - first], texts[at])
    })
  }
}

const noInput = {}
const image: Block = { type: 'image', mediaType: '', bytes: 0 }

function place(record: LogRecord, offset: number, bytes: number, line: number): void {
  Object.assign(record, { offset, bytes, line })
}

/** A second record with a uuid is told apart by a number behind it. */
function uuidOf(id: string, flags: readonly Flag[]): string {
  return flags.includes('copy') ? id.replace(/~\d+$/, '') : id
}

function fieldsOf(origin: Origin, uuid: string | undefined, parent: string | null, bits: number): JsonObject {
  const { fields } = origin
  // Whether a record names a parent at all is asked of sidechains only.
  if (uuid === undefined && parent === null && (bits & ~plainBits) === 0) return fields
  const isPlain = (bits & withoutParent) === 0
  if (isPlain && origin.isPlain) return { uuid, parentUuid: parent, sessionId: origin.session } as unknown as JsonObject
  const value: Record<string, unknown> = { ...fields }
  if (uuid !== undefined) value['uuid'] = uuid
  if (isPlain) value['parentUuid'] = parent
  return value as JsonObject
}

/** How the results of a record were written, in the fewest words that say so. */
function addWritten(value: JsonObject, bits: number): void {
  const form = (bits >> contentShift) & 3
  const type = (bits >> structuredShift) & 7
  const fields = value as Record<string, unknown>
  if (form !== 0 && form < messages.length) fields['message'] = messages[form]
  if (type !== 0) fields['toolUseResult'] = structuredSamples[structuredTypes[type] ?? 'absent']
}

const messages = contentForms.map(messageWith)
const structuredSamples: Record<(typeof structuredTypes)[number], unknown> = {
  absent: undefined,
  object: {},
  string: '',
  array: [],
  number: 0,
  boolean: false,
}

function messageWith([texts, blocks]: readonly [number, number]): JsonObject {
  const content = []
  for (let n = 0; n < texts; n++) content.push({ type: 'tool_result', content: '' })
  for (let n = 0; n < blocks; n++) content.push({ type: 'tool_result', content: [] })
  return { content }
}

function setField(event: SessionEvent, name: string, field: unknown): void {
  event.record = { ...event.record, value: { ...event.record.value, [name]: field } as JsonObject }
}

function thinResult(
  event: SessionEvent,
  call: string,
  outcome: number,
  hasImage: boolean,
  told: Record<string, unknown> | undefined,
): ToolResultBlock {
  const isError = outcome === 1 || (outcome === 2 && event.flags.includes('error'))
  const block: ToolResultBlock = { type: 'tool-result', callId: callId(call), isError, content: noBlocks }
  const text = asString(told?.['text'])
  if (hasImage) block.content = [image]
  if (text !== undefined) block.content = [...block.content, { type: 'text', text }]
  if (outcome === 2) block.structured = { ...told, interrupted: true }
  else if (told !== undefined) block.structured = told
  return block
}

function addBlock(event: SessionEvent, block: Block): void {
  if (event.blocks === noBlocks) event.blocks = [block]
  else event.blocks.push(block)
}

function addDetail(event: SessionEvent | undefined, json: unknown): void {
  const facts = parseJson(json as string)
  if (event === undefined || !isObject(facts)) return
  const { texts, ...detail } = facts
  for (const text of asArray(texts)) if (typeof text === 'string') addBlock(event, { type: 'text', text })
  if (texts !== undefined && Object.keys(detail).length === 0) return
  event.detail = detail
  // The one line that names another session in fields of its own.
  if (event.wireType === 'continued-in') event.record = { ...event.record, value: { ...detail, ...event.record.value } }
}
