// The slots of a thread: its events as they are shown together, one after the other. Which they are is decided once, from who
// said something when; what they show is made when it is needed.

import type { SessionEvent } from '../../model/event.ts'
import type { EventId, ThreadId } from '../../model/ids.ts'
import type { SessionGraph } from '../../model/session.ts'
import { planView, type ViewPlan } from '../../view/plan.ts'
import { type EventGroup, ThreadViewer } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'

/** Kinds that never show anything: they say how things stand. */
const silentKinds: ReadonlySet<string> = new Set(['title', 'state'])

export interface Place {
  thread: ThreadId
  slot: number
}

export class Slots {
  readonly plan: ViewPlan
  private readonly byThread = new Map<ThreadId, readonly EventGroup[]>()
  private places: Map<EventId, Place> | null = null
  private readonly turnStarts: ReadonlySet<EventId>

  constructor(graph: SessionGraph) {
    this.plan = planView(graph)
    this.turnStarts = new Set(graph.turns.map(({ prompt }) => prompt))
  }

  /** Whether a turn begins with this event: a prompt, or a command that stands for one. */
  beginsTurn(event: EventId): boolean {
    return this.turnStarts.has(event)
  }

  get main(): ThreadId {
    const { threads, session } = this.plan.graph
    return threads.find(thread => thread.kind === 'main')?.id ?? (session as string as ThreadId)
  }

  of(thread: ThreadId): readonly EventGroup[] {
    const known = this.byThread.get(thread)
    if (known !== undefined) return known
    const groups: EventGroup[] = []
    for (const group of new ThreadViewer(this.plan).groups(thread)) if (this.mayShow(group)) groups.push(group)
    this.byThread.set(thread, groups)
    return groups
  }

  /** Results are shown in their calls, unless the record has something else. */
  private mayShow({ events, loose }: EventGroup): boolean {
    const first = events[0]
    if (first === undefined || silentKinds.has(first.kind)) return false
    if (loose !== undefined || first.kind !== 'tool-results') return true
    return first.blocks.some(block => block.type !== 'tool-result' || !this.plan.isInCall(block))
  }

  items(thread: ThreadId, from: number, to: number): ViewItem[][] {
    const viewer = new ThreadViewer(this.plan, { isShallow: true })
    const prompt = this.promptOf(thread)
    return this.of(thread)
      .slice(Math.max(0, from), Math.max(0, to))
      .map(group => [...viewer.groupItems(group, 0, prompt)])
  }

  /** What the call that started a thread says. */
  private promptOf(thread: ThreadId): string | undefined {
    for (const [call, threads] of this.plan.placement.inCall) {
      if (!threads.some(({ id }) => id === thread)) continue
      const input = call.input
      const prompt = typeof input === 'object' && input !== null ? (input as Record<string, unknown>)['prompt'] : null
      return typeof prompt === 'string' ? prompt : undefined
    }
    return undefined
  }

  /** The slot that shows an event; for a result, that of its call. */
  placeOf(event: EventId): Place | undefined {
    this.places ??= this.findPlaces()
    return this.places.get(event) ?? this.placeBefore(event)
  }

  private findPlaces(): Map<EventId, Place> {
    const places = new Map<EventId, Place>()
    for (const { id: thread } of this.plan.graph.threads) {
      this.of(thread).forEach(({ events, loose }, slot) => {
        if (loose === undefined) for (const { id } of events) if (!places.has(id)) places.set(id, { thread, slot })
      })
    }
    for (const { requestEvent, resultEvent } of this.plan.graph.toolCalls) {
      const place = places.get(requestEvent)
      if (place !== undefined && resultEvent !== undefined && !places.has(resultEvent)) places.set(resultEvent, place)
    }
    return places
  }

  /** What shows nothing itself is where the last shown event before it is. */
  private placeBefore(event: EventId): Place | undefined {
    const found = this.plan.eventOf(event)
    if (found === undefined) return undefined
    const events: readonly SessionEvent[] = this.plan.eventsOf.get(found.thread) ?? []
    for (let at = events.indexOf(found); at >= 0; at--) {
      const place = this.places?.get((events[at] as SessionEvent).id)
      if (place !== undefined) return place
    }
    return undefined
  }
}
