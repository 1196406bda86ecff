// A thread, and a session, as items in reading order: what follows what, what is nested in a call, what is folded as an
// abandoned branch. How one item looks is decided in items/ and calls/.

import { asObject, asString } from '../base/json.ts'
import { type EventOf, hasFlag, type SessionEvent, type ToolCallBlock } from '../model/event.ts'
import type { EventId, ThreadId } from '../model/ids.ts'
import type { SessionGraph, Thread, ToolCall } from '../model/session.ts'
import { abandonedLeaves, firstWords, viewBranch } from './branches.ts'
import { toolTitle, viewCall, viewStrayResult } from './calls/call.ts'
import { viewCompaction } from './items/compaction.ts'
import { viewEvent } from './items/event.ts'
import { newItem, quietItem, withMarks } from './items/item.ts'
import { markStop, viewAnswer, viewCommand, viewNextToResult, viewOtherBlock, viewThinking } from './items/message.ts'
import { viewCopies, viewLink, viewProgress } from './items/side.ts'
import { badge, mediaPart } from './parts.ts'
import { type EventGroup, planView, type ViewPlan } from './plan.ts'
import { answerFacts, FactChanges, foldedFacts } from './record-facts.ts'
import { type Selection, selectEvents, type ViewOptions } from './select.ts'
import type { ThreadPart, ViewItem } from './view.ts'

/** How deep subagents are shown inside each other; deeper ones are named. */
const deepestThread = 50

interface ViewerOptions {
  /** Threads inside others are named, without what is in them. */
  isShallow?: boolean
  /** Abandoned branches are not folded: a part was asked for, which may be on one. */
  isUnfolded?: boolean
}

export class ThreadViewer {
  private readonly plan: ViewPlan
  private readonly isShallow: boolean
  private readonly isUnfolded: boolean
  /** Threads shown so far: each is shown once. */
  private readonly shown = new Set<ThreadId>()
  private readonly calls = new Set<ToolCall>()

  constructor(plan: ViewPlan, { isShallow = false, isUnfolded = false }: ViewerOptions = {}) {
    this.plan = plan
    this.isShallow = isShallow
    this.isUnfolded = isUnfolded
  }

  *items(thread: ThreadId, isShown?: Selection, depth = 0, prompt?: string): Generator<ViewItem> {
    this.shown.add(thread)
    const groups = this.groups(thread, isShown)
    if (this.plan.graph.abandoned.size > 0 && !this.isUnfolded) yield* this.foldedItems([...groups], depth, prompt)
    else for (const group of groups) yield* this.groupItems(group, depth, prompt)
  }

  /** Each abandoned branch is one item, where it begins. */
  private *foldedItems(groups: readonly EventGroup[], depth: number, prompt?: string): Generator<ViewItem> {
    const { graph } = this.plan
    const leaves = abandonedLeaves(this.plan, groups)
    const branches = new Map<EventId, EventGroup[]>()
    for (const [at, leaf] of leaves.entries()) {
      const group = groups[at] as EventGroup
      if (leaf === undefined) continue
      const own = branches.get(leaf)
      if (own) own.push(group)
      else branches.set(leaf, [group])
    }
    for (const [at, group] of groups.entries()) {
      const leaf = leaves[at]
      const own = leaf === undefined ? undefined : branches.get(leaf)
      const first = group.events[0]
      if (leaf === undefined || own === undefined || first === undefined) yield* this.groupItems(group, depth, prompt)
      else if (own[0] === group) {
        const items = own.flatMap(one => [...this.groupItems(one, depth, prompt)])
        if (items.length > 0) yield viewBranch(graph, leaf, first, items)
      }
    }
  }

  /** The events of a thread in the order in which they are shown. What they say is not looked at, only who said it when. */
  *groups(thread: ThreadId, isShown?: Selection): Generator<EventGroup> {
    const events = this.plan.eventsOf.get(thread) ?? []
    const { after, atEnd } = this.plan.placement
    const state: GroupState = { events, done: new Set(), links: new Set() }
    const facts = new FactChanges()
    let model: string | undefined
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as SessionEvent
      if (state.done.has(at) || (isShown && !isShown(event))) continue
      const group = this.groupAt(state, at)
      if (group === null) continue
      const changes = group.flatMap(one => facts.of(one))
      yield { events: group, modelBefore: model, ...(changes.length > 0 && { changes }) }
      for (const one of group) model = modelOf(one) ?? model
      for (const { id } of group) yield* this.looseGroups(after.get(id), model)
    }
    if (isShown === undefined) yield* this.looseGroups(atEnd.get(thread), model)
  }

  private *looseGroups(threads: readonly Thread[] = [], modelBefore: string | undefined): Generator<EventGroup> {
    for (const loose of threads) {
      yield { events: this.plan.eventsOf.get(loose.id)?.slice(0, 1) ?? [], modelBefore, loose }
    }
  }

  /** Null where the event repeats what was shown before. */
  private groupAt(state: GroupState, at: number): readonly SessionEvent[] | null {
    const event = state.events[at] as SessionEvent
    if (hasFlag(event, 'copy')) return run(state, at, next => hasFlag(next, 'copy'))
    if (event.kind === 'answer') return messageEvents(state, at)
    if (event.kind === 'command') return [event, ...outputsOf(state, at)]
    if (event.kind === 'link') return isNewLink(state, event) ? [event] : null
    if (event.kind !== 'progress') return [event]
    return this.plan.isOnCall(event) ? null : run(state, at, next => this.isSameProgress(event, next))
  }

  *groupItems(group: EventGroup, depth = 0, prompt?: string): Generator<ViewItem> {
    if (group.loose !== undefined) {
      yield* this.looseThread(group.loose, depth)
      return
    }
    const first = group.events[0]
    if (first === undefined) return
    const state: ShowState = { model: group.modelBefore, depth, prompt }
    let changes = foldedFacts(group.changes ?? [])
    for (const item of this.eventItems(state, first, group.events)) {
      item.body.push(...changes)
      changes = []
      yield this.placed(item, first)
    }
  }

  private placed(item: ViewItem, event: SessionEvent): ViewItem {
    const turn = this.plan.turnOf.get(item.id)
    if (turn !== undefined) item.turn = turn
    const isAbandoned = this.isUnfolded && item.kind === 'prompt' && this.plan.graph.abandoned.has(event.id)
    if (isAbandoned) item.badges.push(badge('earlier branch', 'warn'))
    // The marks of an answer are those of its own record, which may come after the first of its message.
    return event.kind === 'answer' || item.kind === 'compaction' ? item : withMarks(item, event)
  }

  private *eventItems(state: ShowState, event: SessionEvent, group: readonly SessionEvent[]): Generator<ViewItem> {
    const compaction = this.plan.compactionAt.get(event.id)
    if (hasFlag(event, 'copy')) {
      yield* viewCopies([...group])
      return
    }
    if (compaction) {
      yield viewCompaction(event, compaction, this.plan.windowAt.get(event.id))
      if (event.kind === 'compaction') return
    }
    switch (event.kind) {
      case 'answer':
        for (const part of group) yield* this.answerItems(state, part)
        return
      case 'tool-results':
        yield* this.resultItems(event)
        return
      case 'command':
        yield viewCommand(event, group.slice(1))
        return
      case 'progress':
        yield* viewProgress(group.filter(one => one.kind === 'progress'))
        return
      case 'link':
        yield viewLink(event)
        return
      default:
        if (!this.plan.isResultEvent(event)) yield* viewEvent(event, this.plan, state.prompt)
    }
  }

  private isSameProgress(event: EventOf<'progress'>, next: SessionEvent): boolean {
    return (
      next.kind === 'progress' &&
      !this.plan.isOnCall(next) &&
      next.detail?.dataType === event.detail?.dataType &&
      next.detail?.hookName === event.detail?.hookName
    )
  }

  private *answerItems(state: ShowState, event: SessionEvent): Generator<ViewItem> {
    let last: ViewItem | undefined
    for (const block of event.blocks) {
      let item: ViewItem | undefined
      if (block.type === 'text') item = viewAnswer(event, block.text)
      else if (block.type === 'thinking') item = viewThinking(event, block)
      else if (block.type === 'tool-call') item = this.callItem(state, event, block)
      else if (block.type === 'tool-result')
        item = this.plan.isInCall(block) ? undefined : viewStrayResult(event, block)
      else if (block.type === 'other') item = viewOtherBlock(event, block)
      else item = { ...newItem(event, 'answer', 'Answer'), body: [mediaPart(block)] }
      if (item === undefined) continue
      if (last) yield withMarks(last, event)
      noteModel(state, event, item)
      last = item
    }
    if (last === undefined && event.blocks.length === 0) {
      last = { ...quietItem(event, 'answer', 'Answer'), badges: [badge('empty')] }
    }
    if (last === undefined) return
    markStop(last, event)
    last.body.push(...answerFacts(event))
    yield withMarks(last, event)
  }

  private callItem(state: ShowState, event: SessionEvent, block: ToolCallBlock): ViewItem {
    const call = this.plan.callOf(event.id, block.callId)
    if (call === undefined || this.calls.has(call)) {
      return quietItem(event, 'notice', `Request repeated  ${toolTitle(block.name)}`)
    }
    this.calls.add(call)
    const found = this.plan.resultOf(call)
    return viewCall(call, {
      request: event,
      result: found?.block,
      resultEvent: found?.event,
      threads: (this.plan.placement.inCall.get(call) ?? []).flatMap(thread =>
        this.threadParts(thread, state.depth, call),
      ),
      progress: call.progress.flatMap(id => this.plan.eventOf(id) ?? []),
      subjectOf: this.plan.subjectOf,
    })
  }

  /** Results without a call, and other blocks in the records of results. */
  private *resultItems(event: SessionEvent): Generator<ViewItem> {
    for (const block of event.blocks) {
      if (block.type === 'tool-result' && !this.plan.isInCall(block)) yield viewStrayResult(event, block)
    }
    const others = event.blocks.filter(block => block.type !== 'tool-result')
    if (others.length > 0) yield viewNextToResult(event, others)
  }

  private threadParts(thread: Thread, depth: number, call?: ToolCall): ThreadPart[] {
    if (this.shown.has(thread.id)) return []
    this.shown.add(thread.id)
    const part: ThreadPart = { type: 'thread', thread: thread.id, items: [] }
    if (thread.agentType !== undefined) part.agentType = thread.agentType
    if (thread.linkedBy !== undefined) part.linkedBy = thread.linkedBy
    const prompt = asString(asObject(call?.input)?.['prompt'])
    if (this.isShallow) return [part]
    part.items =
      depth >= deepestThread ? this.tooDeep(thread) : [...this.items(thread.id, undefined, depth + 1, prompt)]
    return [part]
  }

  private tooDeep(thread: Thread): ViewItem[] {
    const first = this.plan.eventsOf.get(thread.id)?.[0]
    if (first === undefined) return []
    const item = newItem(
      first,
      'notice',
      `Nested deeper than ${deepestThread} subagents: thread ${thread.id} is not shown here`,
    )
    return [{ ...item, actor: 'client' }]
  }

  /** A subagent that no call started, in a notice: named by what is known of it. */
  private *looseThread(thread: Thread, depth: number): Generator<ViewItem> {
    const first = this.plan.eventsOf.get(thread.id)?.[0]
    const parts = first ? this.threadParts(thread, depth) : []
    if (first === undefined || parts.length === 0) return
    const title = thread.isInternal ? 'Agent of Claude Code' : 'Subagent'
    // Claude Code's own agents are given a copy of the session.
    const task = thread.isInternal ? '' : firstWords(this.plan.eventsOf.get(thread.id) ?? [])
    const name = thread.description ?? (task || (thread.agentType ?? thread.id))
    const item = newItem(first, 'notice', `${title}  ${name}`)
    if (thread.startEvent === undefined && !thread.isInternal) item.badges.push(badge('call not known'))
    item.actor = 'client'
    item.isQuiet = thread.isInternal === true
    const turn = thread.startEvent === undefined ? undefined : this.plan.turnOf.get(thread.startEvent)
    if (turn !== undefined) item.turn = turn
    if (thread.linkedBy !== undefined) item.badges.push(badge(`linked by ${thread.linkedBy}`))
    item.body = parts
    yield item
  }
}

/** While events are put together. */
interface GroupState {
  events: readonly SessionEvent[]
  /** Places whose events belong with an earlier one. */
  done: Set<number>
  /** Links shown so far: they are written again and again. */
  links: Set<string>
}

/** While they are shown. */
interface ShowState {
  model: string | undefined
  depth: number
  /** What the call that started this thread says: not repeated inside it. */
  prompt: string | undefined
}

function isNewLink(state: GroupState, event: EventOf<'link'>): boolean {
  const { headline } = viewLink(event)
  if (state.links.has(headline)) return false
  state.links.add(headline)
  return true
}

function modelOf(event: SessionEvent): string | undefined {
  return hasFlag(event, 'synthetic') ? undefined : event.message?.model
}

function noteModel(state: ShowState, event: SessionEvent, item: ViewItem): void {
  const model = modelOf(event)
  if (model === undefined || model === state.model) return
  state.model = model
  item.badges.push(badge(model))
}

/** This event and those after it for which the test is true, without a gap. */
function run(state: GroupState, at: number, test: (next: SessionEvent) => boolean): SessionEvent[] {
  const found = [state.events[at] as SessionEvent]
  for (let next = at + 1; next < state.events.length; next++) {
    const event = state.events[next] as SessionEvent
    if (!test(event)) break
    state.done.add(next)
    found.push(event)
  }
  return found
}

/** Kinds that end a message for a reader: what has the same message id behind them represents itself. */
const turningKinds: ReadonlySet<string> = new Set(['prompt', 'delegation', 'command', 'interruption', 'compaction'])

/** All events of one API message up to the next thing that was said; results and hooks in between come after them. */
function messageEvents(state: GroupState, at: number): SessionEvent[] {
  const first = state.events[at] as SessionEvent
  const found = [first]
  const id = first.message?.id
  if (id === undefined) return found
  for (let next = at + 1; next < state.events.length; next++) {
    const event = state.events[next] as SessionEvent
    if (hasFlag(event, 'copy')) continue
    if (turningKinds.has(event.kind)) break
    if (event.kind !== 'answer') continue
    if (event.message?.id !== id) break
    if (state.done.has(next)) continue
    state.done.add(next)
    found.push(event)
  }
  return found
}

/** Side records that may be between a command and its output. */
const passedOver: ReadonlySet<string> = new Set(['snapshot', 'state', 'title', 'queue', 'progress'])

function outputsOf(state: GroupState, at: number): SessionEvent[] {
  const outputs: SessionEvent[] = []
  for (let next = at + 1; next < state.events.length; next++) {
    const event = state.events[next] as SessionEvent
    if (passedOver.has(event.kind)) continue
    if (event.kind !== 'command-output' || hasFlag(event, 'copy')) break
    state.done.add(next)
    outputs.push(event)
  }
  return outputs
}

export type { ViewOptions } from './select.ts'

/**
 * The items of the main thread, or of the thread asked for. Subagents' threads are inside the calls that started them; those
 * that no call started follow the record that they hang on, or come last, each in a notice.
 */
export function viewSession(graph: SessionGraph, options: ViewOptions = {}): ViewItem[] {
  return [...viewItems(graph, options)]
}

/** The same one by one, so that a first screen does not wait for the whole session. */
export function* viewItems(graph: SessionGraph, options: ViewOptions = {}): Generator<ViewItem> {
  const plan = planView(graph)
  const main = graph.threads.find(thread => thread.kind === 'main')?.id
  const thread = options.thread ?? main
  if (thread === undefined) return
  const events = plan.eventsOf.get(thread) ?? []
  const isPart = options.turns !== undefined || options.branch !== undefined || options.since != null
  const isShown = isPart ? selectEvents(plan, events, options) : undefined
  const isUnfolded = options.turns !== undefined || options.branch !== undefined
  yield* new ThreadViewer(plan, { isUnfolded }).items(thread, isShown)
}
