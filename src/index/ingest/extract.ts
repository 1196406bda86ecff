// The bytes of one log → rows for the index, batch by batch, in bounded memory. It continues from a checkpoint; it neither
// reads files nor writes tables.

import { deserialize, serialize } from 'node:v8'
import { bytesToText } from '../../base/bytes.ts'
import { type Instant, instantToMillis } from '../../base/instant.ts'
import { searchable } from '../../base/searchable.ts'
import { textHash } from '../../base/text-hash.ts'
import { type EventState, RecordDecoder, type RecordState } from '../../decode/decode.ts'
import { fileOfCall } from '../../graph/touched-file.ts'
import { contentDigest } from '../../model/content-digest.ts'
import type { MessageFacts, SessionEvent, ToolResultBlock } from '../../model/event.ts'
import { sessionId } from '../../model/ids.ts'
import { callCommand } from '../../session/call-command.ts'
import { indexedTexts } from '../../session/indexed-texts.ts'
import { eventDecoder } from '../../session/load.ts'
import { isText, storedNames } from '../../session/stored-texts.ts'
import { textFields } from '../../session/text-kinds.ts'
import { type UsagePlace, usageStatement, visibleTokens } from '../../usage/statement.ts'
import { CommonFields, detailOf, outcomeOf, restOf, stateOf, wireBits } from './facts.ts'
import {
  actorToNumber,
  dialectToNumber,
  type FileTask,
  flagsToNumber,
  isStored,
  kindToNumber,
  marksOf,
  type RowBatch,
} from './rows.ts'

/** A checkpoint is worth its space when at least this much was read since the last one. */
const checkpointBytes = 256 * 1024

/** A call that waits for its result. */
type OpenCall = [name: string, atMs: number | null]

/** What decoding needs to continue; made and read by `serialize`. */
interface Checkpoint {
  records: RecordState
  events: EventState
  calls: [string, OpenCall][]
  lastId: string | null
  ordinal: number
}

/** What the event before has in common with others of its thread, and the origins of those by type. */
interface LastOrigin extends Pick<SessionEvent, 'session' | 'thread' | 'dialect'> {
  cwd: string | undefined
  gitBranch: string | undefined
  version: string | undefined
  common: string | undefined
  byWire: Map<string, number>
}

/** Reads one log. Feed it the bytes from `start` on. */
export class Extraction {
  private readonly task: FileTask
  private readonly records: RecordDecoder
  private readonly events: ReturnType<typeof eventDecoder>
  private readonly calls: Map<string, OpenCall>
  private lastId: string | null
  private ordinal: number
  private readonly checkpointAt: number
  /** Rows and texts of an unfinished line are removed when the line is completed. */
  private isInTail = false
  private batch: RowBatch
  private names = new Map<string, number>()
  private origins = new Map<string, number>()
  private last: LastOrigin | null = null
  private readonly common = new CommonFields()
  /** Bytes of the file that it knows. */
  private fed: number
  /** Rows are emitted for events after this; those before are in the index already. */
  private readonly from: number
  private readonly place: UsagePlace

  constructor(task: FileTask) {
    this.task = task
    this.from = task.indexed
    const { nameSession, role } = task
    this.place = { place: 0, isAgentFile: role === 'agent', ...(nameSession !== undefined && { nameSession }) }
    if (isStored(role)) throw new Error('a text by itself has no records')
    const saved = task.checkpoint === undefined ? null : readCheckpoint(task.checkpoint.state)
    const session = task.session
    const file = {
      role,
      ...(task.nameSession !== undefined && { nameSession: sessionId(task.nameSession) }),
      ...(task.agent !== undefined && { nameAgent: task.agent }),
    }
    this.records = new RecordDecoder(task.path, saved?.records)
    this.events = eventDecoder(file, session === undefined ? {} : { session }, saved?.events)
    this.calls = new Map(saved?.calls)
    this.lastId = saved?.lastId ?? null
    this.ordinal = saved?.ordinal ?? 0
    this.checkpointAt = saved?.records.place.offset ?? 0
    this.fed = this.checkpointAt
    this.batch = emptyBatch(this.task.file)
  }

  /** The first byte that it needs. */
  get start(): number {
    return this.checkpointAt
  }

  push(chunk: Uint8Array): void {
    this.batch.bytes += chunk.length
    this.fed += chunk.length
    for (const record of this.records.push(chunk)) {
      for (const event of this.events.decode(record)) this.add(event)
    }
  }

  /** The rows since the last batch. */
  take(): RowBatch {
    const { batch } = this
    const { offset, number } = this.records.save().place
    batch.indexed = offset
    batch.covered = offset
    batch.lines = number - 1
    batch.eventCount = this.ordinal
    this.batch = emptyBatch(this.task.file)
    this.names = new Map()
    this.origins = new Map()
    this.last = null
    return batch
  }

  /** The last batch, with what a last line without end gives. */
  end(): RowBatch {
    const records = this.records.save()
    const isFar = records.place.offset - this.checkpointAt >= checkpointBytes
    const checkpoint = isFar ? this.saveAt(records) : undefined
    const complete = this.ordinal
    this.isInTail = true
    for (const record of this.records.end()) {
      for (const event of this.events.decode(record)) this.add(event)
    }
    const tail = this.ordinal - complete
    const batch = this.take()
    batch.indexed = records.place.offset
    batch.covered = this.fed
    batch.lines = records.place.number - 1
    batch.eventCount = complete
    batch.tail = tail
    batch.isLast = true
    if (checkpoint !== undefined) batch.checkpoint = checkpoint
    return batch
  }

  private saveAt(records: RecordState): { at: number; state: Uint8Array } {
    const { lastId, ordinal } = this
    const saved: Checkpoint = { records, events: this.events.save(), calls: [...this.calls], lastId, ordinal }
    return { at: records.place.offset, state: serialize(saved) }
  }

  private name(text: string): number {
    const known = this.names.get(text)
    if (known !== undefined) return known
    const place = this.batch.names.length
    this.batch.names.push(text)
    this.names.set(text, place)
    return place
  }

  private nameOrNull(text: string | undefined): number | null {
    return text === undefined ? null : this.name(text)
  }

  private origin(event: SessionEvent): number {
    const { session, thread, cwd, gitBranch, version, dialect, wireType } = event
    const common = this.common.of(event)
    // Neighbouring events mostly share their origin, and comparing costs less than building a key.
    const { last } = this
    if (
      last !== null &&
      last.session === session &&
      last.thread === thread &&
      last.cwd === cwd &&
      last.gitBranch === gitBranch &&
      last.version === version &&
      last.dialect === dialect &&
      last.common === common
    ) {
      const same = last.byWire.get(wireType)
      if (same !== undefined) return same
    } else this.last = { session, thread, cwd, gitBranch, version, dialect, common, byWire: new Map() }
    const place = this.newOrigin(event, common)
    this.last?.byWire.set(wireType, place)
    return place
  }

  private newOrigin(event: SessionEvent, common: string | undefined): number {
    const { session, thread, cwd, gitBranch, version, dialect, wireType } = event
    const key = `${session}\n${thread}\n${cwd}\n${gitBranch}\n${version}\n${dialect}\n${wireType}\n${common}`
    const known = this.origins.get(key)
    if (known !== undefined) return known
    const { origins } = this.batch
    const place = origins.length / 8
    origins.push(this.name(session), this.name(thread), this.nameOrNull(cwd), this.nameOrNull(gitBranch))
    origins.push(this.nameOrNull(version), dialectToNumber(dialect), this.name(wireType), this.nameOrNull(common))
    this.origins.set(key, place)
    return place
  }

  private add(event: SessionEvent): void {
    const ordinal = this.ordinal++
    const isNew = event.source.offset >= this.from
    if (isNew) this.addEvent(event, ordinal)
    this.addBlocks(event, ordinal, isNew)
    this.lastId = event.id
  }

  private addEvent(event: SessionEvent, ordinal: number): void {
    const { batch } = this
    const { source, parent, message } = event
    const id = event.stated.uuid === undefined ? null : event.id
    const parentCell = parent !== null && parent === this.lastId ? 1 : parent
    const kind = kindToNumber(event.kind)
    batch.events.push(ordinal, millisOf(event.at), source.offset, source.bytes, source.line, kind)
    const flags = flagsToNumber(event.flags) | wireBits(event)
    batch.events.push(actorToNumber(event.actor), flags, id, parentCell, this.origin(event))
    batch.events.push(id === null ? null : contentDigest(event))
    if (message !== undefined) this.addMessage(ordinal, event, message)
    const detail = detailOf(event)
    if (detail !== null) batch.details.push(ordinal, detail)
    const rest = restOf(event)
    if (rest !== null) batch.rests.push(ordinal, rest)
    const state = stateOf(event)
    if (state !== null) (this.isInTail ? batch.tailStates : batch.states).set(state.type, [ordinal, state.json])
    for (const name of new Set(storedNames(event))) batch.stored.push(ordinal, name)
    this.addTexts(event, ordinal)
  }

  private addMessage(ordinal: number, event: SessionEvent, message: MessageFacts): void {
    const { usage } = message
    const { messages } = this.batch
    const { model, stopReason } = message
    messages.push(ordinal, message.id, message.requestId ?? null, this.nameOrNull(model), this.nameOrNull(stopReason))
    messages.push(
      usage?.inputTokens ?? null,
      usage?.outputTokens ?? null,
      usage?.cacheCreationTokens ?? null,
      usage?.cacheReadTokens ?? null,
      usage?.cacheCreation5mTokens ?? null,
      usage?.cacheCreation1hTokens ?? null,
      usage?.webSearches ?? null,
      this.nameOrNull(usage?.serviceTier),
      this.nameOrNull(usage?.inferenceGeo),
      usage === undefined ? null : Number(usage.outputFinal),
      message.costUSD ?? null,
      message.durationMs ?? null,
    )
    this.addCounted(event)
  }

  private addCounted(event: SessionEvent): void {
    const { messages } = this.batch
    const counted = usageStatement(event, this.place, { visibleTokens })
    if (counted === null) messages.push(null, null, null, null)
    else messages.push(counted.key, counted.echo, marksOf(counted), counted.visibleTokens)
  }

  /** Open calls are followed through rows that are there already, too. */
  private addBlocks(event: SessionEvent, ordinal: number, isNew: boolean): void {
    let n = 0
    for (const block of event.blocks) {
      if (block.type === 'tool-call') {
        this.calls.set(block.callId, [block.name, millisOf(event.at)])
        if (isNew) {
          const path = fileOfCall(block, event.cwd)?.path
          const { calls } = this.batch
          calls.push(ordinal, n, block.callId, this.name(block.name), this.nameOrNull(path), callCommand(block) ?? null)
        }
      } else if (block.type === 'tool-result') {
        const call = this.calls.get(block.callId)
        this.calls.delete(block.callId)
        if (isNew) this.addResult(event, ordinal, n, block, call)
      } else if (block.type === 'image' && isNew) {
        // A pasted picture is stored as a result without a call.
        this.batch.results.push(ordinal, n, '', null, 0, null, 1)
      }
      n++
    }
  }

  private addResult(event: SessionEvent, ordinal: number, n: number, block: ToolResultBlock, call?: OpenCall): void {
    const at = millisOf(event.at)
    const started = call?.[1] ?? null
    const duration = at === null || started === null ? null : at - started
    const hasImage = Number(block.content.some(part => part.type === 'image'))
    const name = call === undefined ? null : this.name(call[0])
    this.batch.results.push(ordinal, n, block.callId, name, outcomeOf(event, block), duration, hasImage)
  }

  private addTexts(event: SessionEvent, ordinal: number): void {
    const texts = indexedTexts(event)
    for (const [n, { field, text }] of texts.entries()) {
      this.batch.texts.push(ordinal, n, textFields.indexOf(field), textHash(text, 0), searchable(text))
    }
  }
}

function emptyBatch(file: number): RowBatch {
  return {
    file,
    names: [],
    origins: [],
    events: [],
    messages: [],
    calls: [],
    results: [],
    details: [],
    rests: [],
    stored: [],
    states: new Map(),
    tailStates: new Map(),
    texts: [],
    indexed: 0,
    covered: 0,
    lines: 0,
    eventCount: 0,
    tail: 0,
    bytes: 0,
    isLast: false,
  }
}

/**
 * The rows of a file without records. Spilled output has an event of its own, for where no result names the file; a pasted text
 * that no prompt names was in none.
 */
export class StoredTexts {
  private readonly task: FileTask
  private isText = false
  private count = 0
  private done = 0

  constructor(task: FileTask) {
    this.task = task
  }

  /** Of the next text of the file. */
  next(bytes: Uint8Array): RowBatch {
    const { task } = this
    const isFirst = this.done === 0
    const isSpill = task.role === 'spill'
    const batch = emptyBatch(task.file)
    if (isFirst) this.isText = bytes.length > 0 && isText(bytes)
    this.done += bytes.length
    Object.assign(batch, { indexed: this.done, covered: this.done, bytes: bytes.length })
    if (!this.isText) return batch
    const text = bytesToText(bytes)
    const field = textFields.indexOf(isSpill ? 'output' : 'text')
    batch.texts.push(0, this.count++, field, textHash(text, 0), searchable(text))
    if (!isSpill) return batch
    batch.eventCount = 1
    if (!isFirst) return batch
    batch.names.push(task.session ?? '', 'spill')
    batch.origins.push(0, 0, null, null, null, dialectToNumber('client'), 1, null)
    const [kind, actor] = [kindToNumber('tool-results'), actorToNumber('tool')]
    batch.events.push(0, null, 0, bytes.length, 1, kind, actor, 0, null, null, 0, null)
    return batch
  }
}

/** Instants are always written in full, so a plain parse is enough. */
function millisOf(at: Instant): number | null {
  return at === null ? null : instantToMillis(at)
}

/** Null where it is of another Node or Clew: then the file is read from its start. */
function readCheckpoint(state: Uint8Array): Checkpoint | null {
  try {
    const saved = deserialize(state) as Checkpoint
    return typeof saved.ordinal === 'number' && saved.events.seen instanceof Uint32Array ? saved : null
  } catch {
    return null
  }
}
