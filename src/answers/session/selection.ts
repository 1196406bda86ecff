// The part of a session that people ask for: turns, a thread, a branch, what is new, the turn around an event. Words as they
// were typed become ids of its graph, or an error that says what there is; how the part looks is decided in src/view.

import type { SessionEvent } from '../../model/event.ts'
import type { EventId, ThreadId } from '../../model/ids.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { ViewOptions } from '../../view/thread.ts'
import type { ViewItem, ViewPart } from '../../view/view.ts'
import { NotFoundError, UserError } from '../error.ts'

/** As typed: turns from 1, beginnings of ids. */
export interface Selection {
  /** Only what people typed and the model said to them. */
  isTalk?: boolean
  turn?: string
  thread?: string
  branch?: string
  /** An instant. */
  since?: string
  event?: string
}

/** One, from one to another, from one on, or the last. */
const turnPattern = /^(?:[1-9]\d{0,8}(?:-(?:[1-9]\d{0,8})?)?|last)$/

/** As it was typed; an error before anything is read where it cannot be meant. */
export function readTurns(text: string): string {
  if (turnPattern.test(text)) return text
  throw new UserError(`Invalid --turn "${text}". The first turn is 1; examples: 2, 2-4, 5-, last`)
}

/** Whether everything of the main thread is shown. */
export function isWhole(options: Selection): boolean {
  const { turn, thread, branch, since, event, isTalk } = options
  return !isTalk && [turn, thread, branch, since, event].every(part => part === undefined)
}

/** With `--prompts`, prompts and answers alone, those on abandoned branches included. */
export function* onlyTalk(items: Iterable<ViewItem>, options: Pick<Selection, 'isTalk'>): Generator<ViewItem> {
  for (const item of items) {
    if (!options.isTalk || item.kind === 'prompt' || item.kind === 'answer') yield item
    else if (item.kind === 'branch') yield { ...item, body: item.body.map(part => talkPart(part, options)) }
  }
}

function talkPart(part: ViewPart, options: Pick<Selection, 'isTalk'>): ViewPart {
  return part.type === 'branch' ? { ...part, items: [...onlyTalk(part.items, options)] } : part
}

/** What to view of this session; an error that says what there is where something is not in it. */
export function viewOptionsFor(graph: SessionGraph, options: Selection): ViewOptions {
  const view: ViewOptions = options.event === undefined ? {} : viewAround(graph, options.event)
  if (options.turn !== undefined) view.turns = turnsNamed(graph, options.turn)
  if (options.thread !== undefined) view.thread = threadNamed(graph, options.thread)
  if (options.branch !== undefined) view.branch = branchNamed(graph, options.branch)
  if (options.since !== undefined) view.since = options.since
  return view
}

/** `2`, `2-4`, `5-`, `last` as indexes of the first and the last one; what is behind the end is left out. */
function turnsNamed(graph: SessionGraph, text: string): readonly [number, number] {
  const count = graph.turns.length
  if (count === 0) throw new UserError('this session has no turns')
  if (text === 'last') return [count - 1, count - 1]
  const [from = '', to = from] = text.split('-')
  const first = Number(from)
  const last = to === '' ? count : Math.min(Number(to), count)
  if (first > count) throw new UserError(`no turn ${first}; this session has turns 1 to ${count}`)
  if (to !== '' && Number(to) < first) throw new UserError(`Invalid --turn "${text}". ${to} comes before ${from}`)
  return [first - 1, last - 1]
}

function threadNamed(graph: SessionGraph, text: string): ThreadId {
  const ids = graph.threads.map(thread => thread.id)
  const found = oneNamed(ids, text)
  if (found !== undefined) return found
  const subagents = graph.threads.filter(thread => thread.kind === 'subagent').map(thread => thread.id)
  throw new UserError(
    subagents.length === 0
      ? `no thread "${text}"; this session has no subagents`
      : `no thread "${text}"; threads: ${listed(subagents)}`,
  )
}

/** Leaves of branches, or any other node: people may look at the way to it. */
function branchNamed(graph: SessionGraph, text: string): EventId {
  const leaves = graph.branches.map(branch => branch.leaf)
  const found = oneNamed(leaves, text)
  if (found !== undefined) return found
  if (graph.nodes.has(text as EventId)) return text as EventId
  throw new UserError(`no branch ends at "${text}"; branches: ${listed(leaves)}`)
}

/** The exact match, else the only one that begins with the text. */
function oneNamed<Id extends string>(ids: readonly Id[], text: string): Id | undefined {
  const same = ids.find(id => id === text)
  const found = same === undefined && text !== '' ? ids.filter(id => id.startsWith(text)) : []
  if (found.length > 1) throw new UserError(`"${text}" is not unique; it matches ${found.join(', ')}`)
  return same ?? found[0]
}

const mostListed = 8

function listed(ids: readonly string[]): string {
  const more = ids.length > mostListed ? ` and ${ids.length - mostListed} more` : ''
  return `${ids.slice(0, mostListed).join(', ')}${more}`
}

/** Its turn, in its thread. */
function viewAround(graph: SessionGraph, text: string): ViewOptions {
  const event = eventNamed(graph, text)
  const view: ViewOptions = {}
  const thread = graph.threads.find(one => one.id === event.thread)
  if (thread?.kind === 'subagent') view.thread = thread.id
  const turn = graph.turns.find(one => one.thread === event.thread && one.events.includes(event.id))
  if (turn !== undefined) view.turns = [turn.index, turn.index]
  return view
}

/** The event itself, or the call that shows it where it is a result. */
function markedItem(graph: SessionGraph, text: string): EventId {
  const { id } = eventNamed(graph, text)
  const call = graph.toolCalls.find(one => one.resultEvent === id)
  return call?.requestEvent ?? id
}

/**
 * With a line before the item of an event; one event may be several items, of which the first has it. Before an event that is
 * not shown by itself comes the next one that is.
 */
export function withMark(items: Iterable<ViewItem>, graph: SessionGraph, text: string): ViewItem[] {
  const all = [...items]
  const marked = markedItem(graph, text)
  let at = all.findIndex(({ id }) => id === marked)
  if (at < 0) {
    const later = new Set(graph.events.slice(graph.events.findIndex(({ id }) => id === marked)).map(({ id }) => id))
    at = all.findIndex(({ id }) => later.has(id))
  }
  const item = all[at] ?? all[0]
  return item === undefined ? all : all.toSpliced(Math.max(0, at), 0, markBefore(item, eventNamed(graph, text).id))
}

/** What the line of a mark has: a pager looks for it. */
export const markText = 'this is event'

function markBefore({ id, thread }: ViewItem, marked: EventId): ViewItem {
  const headline = `↓ ${markText} ${marked}`
  return { id, kind: 'notice', actor: 'client', thread, at: null, headline, badges: [], body: [], isQuiet: false }
}

/** By its id, the beginning of it, or `@` and its place in the file. */
export function eventNamed(graph: SessionGraph, text: string): SessionEvent {
  const same = graph.events.find(event => event.id === text)
  if (same !== undefined) return same
  const isMeant = (id: string) => (text.startsWith('@') ? id.endsWith(text) : id.startsWith(text))
  const found = text.length < 2 ? [] : graph.events.filter(event => isMeant(event.id))
  const [first] = found
  if (first === undefined) throw new NotFoundError(`no event "${text}" in this session; to list them: clew events`)
  // A uuid that occurs twice has `~2` appended the second time: the first one is meant.
  const others = new Set(found.map(({ id }) => id.replace(/~\d+$/, '')))
  if (others.size > 1 && !text.startsWith('@')) {
    throw new UserError(`"${text}" is not unique; it matches ${[...others].slice(0, 8).join(', ')}`)
  }
  return first
}
