// The slots of a thread: its events as they are shown together, and the outline: what each slot is, column by column. Items
// are made when they are needed.

import { toMillis } from '../../base/instant.ts'
import { asObject, asString } from '../../base/json.ts'
import { fileOfCall } from '../../graph/touched-file.ts'
import {
  blocksText,
  type EventKind,
  eventKinds,
  hasFlag,
  isErrorMessage,
  type SessionEvent,
} from '../../model/event.ts'
import type { EventId, ThreadId } from '../../model/ids.ts'
import { isInherited } from '../../model/origin.ts'
import type { SessionGraph, ToolCall } from '../../model/session.ts'
import { typedText } from '../../model/typed-text.ts'
import type { Pricing } from '../../usage/session-usage.ts'
import { abandonedLeaves } from '../../view/branches.ts'
import { type EventGroup, planView, type ViewPlan } from '../../view/plan.ts'
import {
  compareWays,
  type ErrorPlace,
  type EventPlace,
  emptyOutline,
  type Outline,
  type OutlineCall,
  type TurnFacts,
  wayTo,
} from '../../view/reading.ts'
import { ThreadViewer } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'
import { callCommand } from '../call-command.ts'
import { requestOf } from '../make-up.ts'
import { turnFactsOf } from './turn-facts.ts'

/** Kinds that never show anything. */
const silentKinds: ReadonlySet<string> = new Set(['title', 'state'])

export interface Place {
  thread: ThreadId
  slot: number
}

export class Slots {
  readonly plan: ViewPlan
  private readonly pricing: Pricing
  private readonly byThread = new Map<ThreadId, readonly EventGroup[]>()
  private places: Map<EventId, Place> | null = null
  private holders: Map<ThreadId, Place> | null = null
  private requests: Map<EventId, EventId> | null = null
  private facts: Map<EventId, TurnFacts> | null = null
  private errors: ErrorPlace[] | null = null
  private errorCounts: Map<string, number> | null = null
  private ownErrorCounts: Map<string, number> | null = null
  private readonly turnStarts: ReadonlySet<EventId>

  constructor(graph: SessionGraph, pricing: Pricing) {
    this.pricing = pricing
    this.plan = planView(graph)
    this.turnStarts = new Set(graph.turns.map(({ prompt }) => prompt))
  }

  /** Errors in a thread and in those below it. */
  errorsIn(thread: ThreadId): number {
    this.errorCounts ??= countErrors(this.allErrors(), ({ thread, inside }) => [
      thread,
      ...inside.map(place => place.thread),
    ])
    return this.errorCounts.get(thread) ?? 0
  }

  /** Those of a thread itself. */
  ownErrors(thread: ThreadId): number {
    this.ownErrorCounts ??= countErrors(this.allErrors(), place => [place.thread])
    return this.ownErrorCounts.get(thread) ?? 0
  }

  private allErrors(): readonly ErrorPlace[] {
    this.errors ??= errorsOf(this)
    return this.errors
  }

  /** What each turn took, by its prompt. */
  turnFacts(): ReadonlyMap<EventId, TurnFacts> {
    this.facts ??= turnFactsOf(this.plan.graph, this.pricing)
    return this.facts
  }

  /** Whether a turn begins with this event: a prompt, or a command instead of one. */
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
    // What changed next to the conversation is in raw records, which are not all there for a large session.
    for (const { changes: _changes, ...group } of new ThreadViewer(this.plan).groups(thread)) {
      if (this.mayShow(group)) groups.push(group)
    }
    this.byThread.set(thread, groups)
    return groups
  }

  /** Results are shown in their calls, unless there is something next to them. */
  private mayShow({ events, loose }: EventGroup): boolean {
    const first = events[0]
    if (first === undefined || silentKinds.has(first.kind)) return false
    if (loose !== undefined || first.kind !== 'tool-results') return true
    return first.blocks.some(block => block.type !== 'tool-result' || !this.plan.isInCall(block))
  }

  items(thread: ThreadId, from: number, to: number): ViewItem[][] {
    const viewer = new ThreadViewer(this.plan, { isShallow: true, isUnfolded: true })
    const prompt = this.promptOf(thread)
    return this.of(thread)
      .slice(Math.max(0, from), Math.max(0, to))
      .map(group => [...viewer.groupItems(group, 0, prompt)])
  }

  /** The prompt in the call that started a thread. */
  private promptOf(thread: ThreadId): string | undefined {
    return asString(asObject(this.starterOf(thread)?.input)?.['prompt'])
  }

  private starterOf(thread: ThreadId): ToolCall | undefined {
    for (const [call, threads] of this.plan.placement.inCall) {
      if (threads.some(({ id }) => id === thread)) return call
    }
    return undefined
  }

  /** The call that says the same as a delegation. */
  private startedBy(event: SessionEvent | undefined): ToolCall | undefined {
    if (event?.kind !== 'delegation') return undefined
    const isRepeated = this.promptOf(event.thread)?.trim() === blocksText(event.blocks).trim()
    return isRepeated ? this.starterOf(event.thread) : undefined
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

  /** The place of an event with everything around it. A prompt that its call shows is at the call. */
  wholePlaceOf(event: EventId): EventPlace | undefined {
    const place = this.placeOf(event)
    if (place === undefined) return undefined
    const starter = this.startedBy(this.plan.eventOf(event))
    if (starter !== undefined) return this.wholePlaceOf(starter.requestEvent)
    // Of several calls that one record answers, the first.
    this.requests ??= new Map(
      this.plan.graph.toolCalls
        .toReversed()
        .flatMap(({ requestEvent, resultEvent }) => (resultEvent === undefined ? [] : [[resultEvent, requestEvent]])),
    )
    return { ...place, shownIn: this.requests.get(event) ?? event, inside: this.around(place.thread) }
  }

  /** The slots that a thread is shown in, the outermost first. */
  private around(thread: ThreadId): Place[] {
    this.holders ??= this.findHolders()
    const found: Place[] = []
    const seen = new Set<ThreadId>([thread])
    let holder = this.holders.get(thread)
    while (holder !== undefined && !seen.has(holder.thread)) {
      found.unshift(holder)
      seen.add(holder.thread)
      holder = this.holders.get(holder.thread)
    }
    return found
  }

  private findHolders(): Map<ThreadId, Place> {
    const holders = new Map<ThreadId, Place>()
    for (const [call, threads] of this.plan.placement.inCall) {
      const place = this.placeOf(call.requestEvent)
      if (place !== undefined) for (const { id } of threads) holders.set(id, place)
    }
    for (const { id: thread } of this.plan.graph.threads) {
      this.of(thread).forEach(({ loose }, slot) => {
        if (loose !== undefined) holders.set(loose.id, { thread, slot })
      })
    }
    return holders
  }

  /** An event that shows nothing is at the last shown event before it. */
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

/** Messages that are errors and failed calls, each where it is shown: as many as lists count. */
export function errorsOf(slots: Slots): ErrorPlace[] {
  const { events, toolCalls, nodes } = slots.plan.graph
  const messages = events.filter(event => isErrorMessage(event) && !hasFlag(event, 'copy') && !isInherited(event))
  const failed = toolCalls.filter(
    ({ outcome, requestEvent }) => outcome === 'failed' && !isInherited(nodes.get(requestEvent)?.event),
  )
  const wrong = [...messages.map(({ id }) => id), ...failed.map(call => call.resultEvent ?? call.requestEvent)]
  const places = wrong.flatMap((event): ErrorPlace[] => {
    const place = slots.wholePlaceOf(event)
    return place === undefined ? [] : [{ ...place, event, n: 0 }]
  })
  const sorted = places.sort((one, other) => compareWays(wayTo(one), wayTo(other)))
  sorted.forEach((place, at) => {
    const before = sorted[at - 1]
    if (before?.thread === place.thread && before.slot === place.slot) place.n = before.n + 1
  })
  return sorted
}

function countErrors(errors: readonly ErrorPlace[], threadsOf: (place: ErrorPlace) => string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const place of errors) for (const thread of threadsOf(place)) counts.set(thread, (counts.get(thread) ?? 0) + 1)
  return counts
}

const quietKinds: ReadonlySet<EventKind> = new Set<EventKind>([
  'hook',
  'notice',
  'progress',
  'queue',
  'snapshot',
  'meta',
  'attachment',
  'link',
  'other',
])
const longestPrompt = 160
const longestTarget = 120

export function outlineOf(slots: Slots, thread: ThreadId): Outline {
  const outline = emptyOutline(thread)
  const groups = slots.of(thread)
  const leaves = abandonedLeaves(slots.plan, groups)
  let turn = -1
  for (const [slot, group] of groups.entries()) {
    const first = group.events[0] as SessionEvent
    turn = slots.plan.turnOf.get(first.id) ?? turn
    outline.ids.push(first.id)
    outline.kinds.push(eventKinds.indexOf(group.loose === undefined ? first.kind : 'notice'))
    outline.at.push(toMillis(first.at))
    outline.turns.push(turn)
    const leaf = leaves[slot]
    if (leaf !== undefined) outline.branches[slot] = leaf
    if (group.loose === undefined) addFacts(outline, slots, slot, group)
    else {
      outline.calls[slot] = [{ name: 'Agent', status: 'done', thread: group.loose.id }]
      if (group.loose.isInternal === true) outline.quiet.push(slot)
    }
  }
  return outline
}

function addFacts(outline: Outline, slots: Slots, slot: number, { events }: EventGroup): void {
  const first = events[0] as SessionEvent
  const calls = events.flatMap(event => callsOf(slots, event))
  if (calls.length > 0) outline.calls[slot] = calls
  if (isErrorMessage(first) || calls.some(({ status }) => status === 'failed')) outline.errors.push(slot)
  if (first.kind === 'prompt' || slots.beginsTurn(first.id)) {
    outline.prompts[slot] = firstLine(typedText(first), longestPrompt)
    const facts = slots.turnFacts().get(first.id)
    if (facts !== undefined) outline.turnFacts[slot] = facts
  }
  if (isQuiet(events, calls.length)) outline.quiet.push(slot)
  if (first.kind === 'answer' && events.some(hasUnlogged)) outline.unlogged.push(slot)
  const request = first.kind === 'answer' ? requestOf(events) : undefined
  if (request !== undefined) outline.context[slot] = request.prompt + request.output
}

function hasUnlogged({ blocks }: SessionEvent): boolean {
  return blocks.some(block => block.type === 'thinking' && (!block.logged || block.redacted === true))
}

/** An answer that is nothing but thinking is quiet, too. */
function isQuiet(events: readonly SessionEvent[], calls: number): boolean {
  const first = events[0] as SessionEvent
  if (first.kind !== 'answer') return (quietKinds.has(first.kind) && !hasFlag(first, 'error')) || hasFlag(first, 'copy')
  if (calls > 0) return false
  const blocks = events.flatMap(event => event.blocks)
  return blocks.length > 0 && blocks.every(block => block.type === 'thinking')
}

function callsOf(slots: Slots, event: SessionEvent): OutlineCall[] {
  const { plan } = slots
  const found: OutlineCall[] = []
  for (const block of event.blocks) {
    if (block.type !== 'tool-call') continue
    const call = plan.callOf(event.id, block.callId)
    const target = fileOfCall(block, event.cwd)?.path ?? callCommand(block)
    const thread = call?.subagent ?? (call && plan.placement.inCall.get(call)?.[0]?.id)
    const errors = thread === undefined ? 0 : slots.errorsIn(thread)
    found.push({
      name: block.name,
      status: call?.outcome ?? 'missing',
      ...(call?.durationMs !== undefined && { durationMs: call.durationMs }),
      ...(thread !== undefined && { thread }),
      ...(errors > 0 && { errors }),
      ...(target !== undefined && { target: firstLine(target, longestTarget) }),
    })
  }
  return found
}

export function firstLine(text: string, longest: number): string {
  const line = text.trimStart().split('\n', 1)[0]?.trimEnd() ?? ''
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`
}
