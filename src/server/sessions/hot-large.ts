// A session that is too large to be held whole, read like any other: order, threads and calls from the index's rows, and of the
// slots that are asked for the bytes, for as long as somebody looks at them.

import type { Database } from '../../index/store/port.ts'
import type { SessionEvent } from '../../model/event.ts'
import { type EventId, threadId } from '../../model/ids.ts'
import type { SessionGraph, ToolCall } from '../../model/session.ts'
import type { ByteSource, SessionFiles } from '../../model/source.ts'
import { findPlaces, type GraphReader, graphReader, mostPlaces } from '../../session/reading/graph-reader.ts'
import type { ViewPlan } from '../../view/plan.ts'
import type { ContextAt, FileTouched, FoundPlace, Outline, SessionHead, SlotItems } from '../../view/reading.ts'
import type { EventGroup } from '../../view/thread.ts'
import { Hydration } from './hydrate.ts'
import { LargeEvents } from './large-events.ts'
import { WholeSession } from './whole-session.ts'

/** Of records that are whole beside those that always are. */
const usualBytes = 16 * 1024 * 1024

/** Kinds that others are compared with, however far away they are. */
const lastingKinds: ReadonlySet<string> = new Set([
  'prompt',
  'delegation',
  'command',
  'notification',
  'queue',
  'link',
  'compaction',
])
/** Tools whose calls tell what later ones are about. */
const lastingTools: ReadonlySet<string> = new Set(['TaskCreate', 'Task', 'Agent'])

/** Events that are looked through together. */
const windowEvents = 400

export interface LargeOptions {
  /** Clew's own folder. */
  home: string
  /** Of records that are held whole, besides those that always are. */
  mostBytes?: number
}

export class LargeSession {
  private readonly events: LargeEvents
  private hydration: Hydration | null = null
  private made: { stamp: string; graph: SessionGraph; reader: GraphReader } | null = null

  private readonly mostBytes: number
  private readonly home: string

  private constructor(events: LargeEvents, { home, mostBytes = usualBytes }: LargeOptions) {
    this.events = events
    this.mostBytes = mostBytes
    this.home = home
  }

  /** Null where it has to be read whole: the index does not know it, or it is not of the client's form. */
  static async open(
    db: Database,
    files: SessionFiles,
    source: ByteSource,
    options: LargeOptions,
  ): Promise<LargeSession | null> {
    const events = await LargeEvents.read(db, files, source)
    return events === null ? null : new LargeSession(events, options)
  }

  /** Bytes that came after the rows it is made of. */
  get newerBytes(): number {
    return this.events.newerBytes
  }

  /** Null where rows do not tell of these files any more. */
  async reading(
    files: SessionFiles,
    stamp: string,
    source: ByteSource,
  ): Promise<{ graph: SessionGraph; reader: GraphReader } | null> {
    if (this.made?.stamp === stamp) return this.made
    this.hydration?.makeThin()
    this.hydration?.trim(0)
    const graph = this.events.graph(files)
    if (graph === null) return null
    this.hydration ??= new Hydration(files, source)
    this.hydration.bind(graph)
    const { hydration, mostBytes } = this
    const reader = graphReader(graph)
    await hydration.fill([...lastingEvents(reader.slots.plan), ...this.events.beside], true)
    const whole = new WholeSession(this.home, files)
    this.made = { stamp, graph, reader: new HydratingReader(reader, { hydration, whole, mostBytes }) }
    return this.made
  }
}

function* lastingEvents(plan: ViewPlan): Generator<SessionEvent> {
  const { events, toolCalls } = plan.graph
  for (const event of events) {
    if (lastingKinds.has(event.kind) || (event.kind === 'progress' && !plan.isOnCall(event))) yield event
  }
  for (const call of toolCalls) if (lastingTools.has(call.name)) yield* eventsOfCall(plan, call)
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
    for (const call of reader.slots.plan.graph.toolCalls) add(this.callsOf, call.requestEvent, call)
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

  placeOf(event: string): Promise<{ thread: string; slot: number } | null> {
    return this.reader.placeOf(event)
  }

  slotCounts(): { [thread: string]: number } {
    return this.reader.slotCounts()
  }

  async files(): Promise<FileTouched[]> {
    return this.whole.files()
  }

  async contextAt(event: string | null): Promise<ContextAt> {
    return this.whole.contextAt(event)
  }

  find(text: string): Promise<FoundPlace[]> {
    return this.inTurn(() => this.findNow(text))
  }

  items(from: number, to: number, thread?: string): Promise<SlotItems> {
    return this.inTurn(() => this.itemsNow(from, to, thread))
  }

  /** One at a time: another one must not make thin what this one is about to show. */
  private inTurn<Value>(act: () => Promise<Value>): Promise<Value> {
    const next = this.work.then(act)
    this.work = next.catch(() => {})
    return next
  }

  /** Window by window, so that never all of it is whole. */
  private async findNow(text: string): Promise<FoundPlace[]> {
    const { events } = this.slots.plan.graph
    const places: FoundPlace[] = []
    for (let from = 0; from < events.length && places.length < mostPlaces; from += windowEvents) {
      const window = events.slice(from, from + windowEvents)
      await this.hydration.fill(window)
      places.push(...findPlaces(this.slots, window, text))
      this.hydration.trim(this.mostBytes)
    }
    return places.slice(0, mostPlaces)
  }

  private async itemsNow(from: number, to: number, thread?: string): Promise<SlotItems> {
    const id = thread === undefined ? this.slots.main : threadId(thread)
    await this.hydration.fill(this.needed(this.slots.of(id).slice(from, to)))
    const items = await this.reader.items(from, to, thread)
    this.hydration.trim(this.mostBytes)
    return items
  }

  /** What slots show: their events, and what was answered to their calls. */
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

function add<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
