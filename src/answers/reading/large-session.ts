// A session that is too large to be held whole, read like any other: order, threads and calls come from rows of the index
// (pruned events), the newest events from bytes that are not indexed yet, and texts from the bytes of the slots that are shown.

import { asObject } from '../../base/json.ts'
import { FileTail, readLive } from '../../disk/watch/state.ts'
import { buildGraph } from '../../graph/graph.ts'
import { markCopied } from '../../graph/lineage/own-part.ts'
import { indexedSession, ProjectionReader } from '../../index/refresh/projection.ts'
import { callCommands, eventsWithTexts } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import type { Block, SessionEvent } from '../../model/event.ts'
import { type EventId, threadId } from '../../model/ids.ts'
import type { CopiedPart, SessionGraph, ToolCall } from '../../model/session.ts'
import type { ByteSource, LogFile, SessionFiles } from '../../model/source.ts'
import { GrowingLog, graphFile } from '../../session/load.ts'
import {
  findPlaces,
  type GraphReader,
  graphReader,
  inReadingOrder,
  mostPlaces,
} from '../../session/reading/graph-reader.ts'
import type { Pricing } from '../../usage/session-usage.ts'
import type { EventGroup, ViewPlan } from '../../view/plan.ts'
import type {
  ContextAt,
  ErrorPlace,
  EventPlace,
  FileTouched,
  FoundPlace,
  Outline,
  SessionHead,
  SlotItems,
} from '../../view/reading.ts'
import type { DiffPart } from '../../view/view.ts'
import { addTo, Hydration, readRange, runsOf } from './hydration.ts'
import { WholeSession } from './whole-session.ts'

/** Of full records, besides those that always are full. */
const usualBytes = 16 * 1024 * 1024

/** Always full: others are compared with them, however far away. */
const pinnedKinds: ReadonlySet<string> = new Set([
  'prompt',
  'delegation',
  'command',
  'notification',
  'queue',
  'link',
  'compaction',
])
/** Always full: their calls say what later ones are about. */
const pinnedTools: ReadonlySet<string> = new Set(['TaskCreate', 'Task', 'Agent'])

/** Events that are searched together. */
const windowEvents = 400

interface LargeOptions {
  /** Clew's own folder. */
  home: string
  /** Of full records, besides those that always are full. */
  mostBytes?: number
  /** What turns cost, and how much a model takes. */
  pricing?: Pricing
}

export class LargeSession {
  private readonly events: LargeEvents
  private hydration: Hydration | null = null
  private readonly mostBytes: number
  private readonly home: string
  private readonly pricing: Pricing | undefined

  private constructor(events: LargeEvents, options: LargeOptions) {
    const { home, mostBytes = usualBytes, pricing } = options
    this.events = events
    this.mostBytes = mostBytes
    this.pricing = pricing
    this.home = home
  }

  /** Null where it must be read whole: it is not in the index, or not in Claude Code's own format. */
  static async open(
    db: Database,
    files: SessionFiles,
    source: ByteSource,
    options: LargeOptions,
  ): Promise<LargeSession | null> {
    const events = await LargeEvents.read(db, files, source)
    return events === null ? null : new LargeSession(events, options)
  }

  /** Bytes that are not in the index yet. */
  get newerBytes(): number {
    return this.events.newerBytes
  }

  /** Null where the files are no longer those of the rows. */
  async reading(
    files: SessionFiles,
    source: ByteSource,
    part?: CopiedPart,
  ): Promise<{ graph: SessionGraph; reader: GraphReader } | null> {
    this.hydration?.prune()
    this.hydration?.trim(0)
    const graph = this.events.graph(files)
    if (graph === null) return null
    markCopied(graph.session, graph.events, part)
    this.hydration ??= new Hydration(files, source)
    this.hydration.bind(graph)
    const { hydration, mostBytes } = this
    const reader = graphReader(graph, this.pricing)
    await hydration.fill([...pinnedEvents(reader.slots.plan), ...this.events.withTexts], true)
    const whole = new WholeSession(this.home, files, part)
    return { graph, reader: new HydratingReader(reader, { hydration, whole, mostBytes }) }
  }
}

function* pinnedEvents(plan: ViewPlan): Generator<SessionEvent> {
  const { events, toolCalls } = plan.graph
  for (const event of events) {
    if (pinnedKinds.has(event.kind) || (event.kind === 'progress' && !plan.isOnCall(event))) yield event
  }
  for (const call of toolCalls) if (pinnedTools.has(call.name)) yield* eventsOfCall(plan, call)
}

function* eventsOfCall(plan: ViewPlan, call: ToolCall): Generator<SessionEvent> {
  const result = plan.resultOf(call)?.event
  if (result !== undefined) yield result
  for (const id of [call.requestEvent, ...call.progress]) {
    const event = plan.eventOf(id)
    if (event !== undefined) yield event
  }
}

interface ReaderParts {
  hydration: Hydration
  whole: WholeSession
  mostBytes: number
}

class HydratingReader implements GraphReader {
  private readonly hydration: Hydration
  private readonly reader: GraphReader
  private readonly whole: WholeSession
  private readonly mostBytes: number
  private readonly callsOf = new Map<EventId, ToolCall[]>()
  private readonly outlines = new Map<string, Outline>()
  private work: Promise<unknown> = Promise.resolve()

  constructor(reader: GraphReader, { hydration, whole, mostBytes }: ReaderParts) {
    this.reader = reader
    this.whole = whole
    this.hydration = hydration
    this.mostBytes = mostBytes
    for (const call of reader.slots.plan.graph.toolCalls) addTo(this.callsOf, call.requestEvent, call)
  }

  get slots(): GraphReader['slots'] {
    return this.reader.slots
  }

  head(): Promise<SessionHead> {
    return this.reader.head()
  }

  async outline(thread?: string): Promise<Outline> {
    const known = this.outlines.get(thread ?? '')
    if (known !== undefined) return known
    const outline = await this.reader.outline(thread)
    this.outlines.set(thread ?? '', outline)
    return outline
  }

  placeOf(event: string): Promise<EventPlace | null> {
    return this.reader.placeOf(event)
  }

  errors(): Promise<ErrorPlace[]> {
    return this.reader.errors()
  }

  slotCounts(): { [thread: string]: number } {
    return this.reader.slotCounts()
  }

  async files(): Promise<FileTouched[]> {
    return this.whole.files()
  }

  netDiff(path: string): Promise<DiffPart | null> {
    return this.whole.netDiff(path)
  }

  async contextAt(event: string | null): Promise<ContextAt> {
    return this.whole.contextAt(event)
  }

  find(text: string): Promise<FoundPlace[]> {
    return this.inOrder(() => this.findNow(text))
  }

  items(from: number, to: number, thread?: string): Promise<SlotItems> {
    return this.inOrder(() => this.itemsNow(from, to, thread))
  }

  /** One at a time: none may prune what another is about to show. */
  private inOrder<Value>(act: () => Promise<Value>): Promise<Value> {
    const next = this.work.then(act)
    this.work = next.catch(() => {})
    return next
  }

  /** Window by window, so that never all of it is full. */
  private async findNow(text: string): Promise<FoundPlace[]> {
    const { events } = this.slots.plan.graph
    const places: FoundPlace[] = []
    for (let from = 0; from < events.length && places.length < mostPlaces; from += windowEvents) {
      const window = events.slice(from, from + windowEvents)
      await this.hydration.fill(window)
      places.push(...findPlaces(this.slots, window, text))
      this.hydration.trim(this.mostBytes)
    }
    return inReadingOrder(places.slice(0, mostPlaces))
  }

  private async itemsNow(from: number, to: number, thread?: string): Promise<SlotItems> {
    const id = thread === undefined ? this.slots.main : threadId(thread)
    await this.hydration.fill(this.needed(this.slots.of(id).slice(from, to)))
    const items = await this.reader.items(from, to, thread)
    this.hydration.trim(this.mostBytes)
    return items
  }

  /** What slots show: their events, and the results of their calls. */
  private needed(groups: readonly EventGroup[]): Set<SessionEvent> {
    const needed = new Set<SessionEvent>()
    for (const event of groups.flatMap(({ events }) => events)) {
      needed.add(event)
      for (const call of this.callsOf.get(event.id) ?? []) {
        for (const part of eventsOfCall(this.slots.plan, call)) needed.add(part)
      }
    }
    return needed
  }
}

/** This much before the end of the rows gives a decoder the state it needs to continue. */
const warmBytes = 64 * 1024

interface HeldEvents {
  pruned: readonly SessionEvent[]
  /** Up to here the file is in the index. */
  indexed: number
  generation: string
  /** What is newer; absent while nothing is. */
  newer?: { log: GrowingLog; tail: FileTail; at: number }
}

class LargeEvents {
  /** Results with texts next to them, which rows do not contain. */
  readonly withTexts: SessionEvent[] = []
  private readonly held = new Map<string, HeldEvents>()

  /** Null where the session is not in the index, or its logs have a format that must be read whole. */
  static async read(db: Database, files: SessionFiles, source: ByteSource): Promise<LargeEvents | null> {
    const { session, fileIds } = indexedSession(db, files.id)
    const reader = new ProjectionReader(db, 'stats')
    const large = new LargeEvents()
    for (const log of files.logs) {
      const known = session.logs.find(({ path }) => path === log.path)
      const id = known === undefined ? undefined : fileIds.get(known.generation)
      // What is not indexed yet is small, or has just begun: it is read whole.
      if (known === undefined || id === undefined || known.size > log.size) continue
      const pruned = reader.events({ id, path: log.path })
      if (pruned.some(({ dialect }) => dialect !== 'client' && dialect !== 'unknown')) return null
      addCommands(db, id, pruned)
      large.withTexts.push(...addContentKinds(db, id, pruned))
      await addCallLinks(pruned, log, source)
      large.held.set(log.path, { pruned, indexed: known.size, generation: log.generation })
      await new Promise(resolve => setImmediate(resolve))
    }
    return large.held.size === 0 ? null : large
  }

  /** Bytes that are not in the index yet. */
  get newerBytes(): number {
    let sum = 0
    for (const { newer, indexed } of this.held.values()) sum += newer === undefined ? 0 : newer.log.bytes - indexed
    return sum
  }

  /** The graph of the files at their length now; null where a file is no longer that of the rows. */
  graph(files: SessionFiles): SessionGraph | null {
    const graphFiles = []
    for (const log of files.logs) {
      const events = this.eventsOf(log, files)
      if (events === null) return null
      graphFiles.push(graphFile(log, events))
    }
    return buildGraph(files.id, graphFiles, files.side, true)
  }

  private eventsOf(log: LogFile, files: SessionFiles): readonly SessionEvent[] | null {
    const held = this.held.get(log.path) ?? { pruned: [], indexed: 0, generation: log.generation }
    this.held.set(log.path, held)
    if (log.size < held.indexed) return null
    if (log.size === held.indexed && held.newer === undefined) return held.pruned
    if (log.isArchiveOnly === true) return null
    held.newer ??= begin(held, log, files)
    const { newer } = held
    if (!readAppended(newer.log, newer.tail, log.size)) return null
    return [...held.pruned.slice(0, newer.at), ...newer.log.events()]
  }
}

/** Decodes what a file has got since it was last read. False where it was rewritten. */
export function readAppended(log: GrowingLog, tail: FileTail, size: number): boolean {
  for (let isLast = log.bytes >= size; !isLast; ) {
    const read = tail.read(size)
    if (read === 'rewritten') return false
    if (read.bytes.length > 0) log.push(read.bytes)
    isLast = read.isLast
  }
  return true
}

/** The last record is read again: it may have been unfinished when it was indexed. */
function begin({ pruned }: HeldEvents, log: LogFile, files: SessionFiles): NonNullable<HeldEvents['newer']> {
  const last = pruned.at(-1)?.source
  if (last === undefined) return { log: new GrowingLog(log, files.id), tail: new FileTail(log.path), at: 0 }
  const at = pruned.findIndex(({ source }) => source.line === last.line)
  const { offset, line } = pruned[at]?.source ?? last
  const found = readLive(log.path, Math.max(0, offset - warmBytes), offset)
  const before = offset <= warmBytes ? found : found.subarray(found.indexOf(0x0a) + 1)
  const growing = new GrowingLog(log, files.id, { offset, line, before })
  return { log: growing, tail: new FileTail(log.path, offset, before), at }
}

function addCommands(db: Database, file: number, events: readonly SessionEvent[]): void {
  for (const { ordinal, call, command } of callCommands(db, file)) {
    for (const block of events[ordinal]?.blocks ?? []) {
      if (block.type !== 'tool-call' || block.callId !== call) continue
      const input = asObject(block.input)
      if (input?.['description'] === undefined && input?.['prompt'] === undefined) block.input = { ...input, command }
    }
  }
}

const words: Block = { type: 'text', text: '' }
const thoughts: Block = { type: 'thinking', text: '', logged: true }
const unlogged: Block = { type: 'thinking', text: '', logged: false }

/** Answers without calls contain text or thinking; which one decides whether they are quiet. Returns results with texts. */
function addContentKinds(db: Database, file: number, events: readonly SessionEvent[]): SessionEvent[] {
  const spoken = eventsWithTexts(db, file, ['text'])
  const thought = eventsWithTexts(db, file, ['thinking'])
  // Next to results there may be other blocks, too.
  const withTexts = eventsWithTexts(db, file, ['text', 'other'])
  for (const [ordinal, event] of events.entries()) {
    if (event.kind !== 'answer' || event.blocks.length > 0) continue
    event.blocks = [spoken.has(ordinal) ? words : thought.has(ordinal) ? thoughts : unlogged]
  }
  return events.filter((event, ordinal) => event.kind === 'tool-results' && withTexts.has(ordinal))
}

const linkedKinds: ReadonlySet<string> = new Set(['progress', 'hook', 'notice', 'attachment'])
const linkNames = ['toolUseID', 'parentToolUseID'] as const

/** Adds the calls that progress lines, hooks and notes are about: rows do not contain them, their records do. */
async function addCallLinks(events: readonly SessionEvent[], log: LogFile, source: ByteSource): Promise<void> {
  for (const run of runsOf(events.filter(event => linkedKinds.has(event.kind)))) {
    const from = run[0]?.source.offset ?? 0
    const to = run.reduce((end, { source: { offset, bytes } }) => Math.max(end, offset + bytes), from)
    const found = await readRange(source, log, from, to)
    const bytes = Buffer.from(found.buffer, found.byteOffset, found.length)
    for (const event of run) {
      const start = event.source.offset - from
      const record = bytes.subarray(start, start + event.source.bytes)
      for (const name of linkNames) addField(event, record, name)
    }
  }
}

/** Quotes inside texts are escaped, so what is found is a field; the outermost one is the last or the only one. */
function addField(event: SessionEvent, record: Buffer, name: (typeof linkNames)[number]): void {
  const mark = `"${name}":"`
  const at = record.lastIndexOf(mark)
  if (at < 0) return
  const start = at + mark.length
  const end = record.indexOf(0x22, start)
  if (end < 0 || end - start > 500) return
  event.detail = { ...event.detail, [name]: record.toString('utf8', start, end) }
}
