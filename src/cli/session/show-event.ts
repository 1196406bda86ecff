// One event of a session as the aim of `clew show --event`: the part of the session that it stands in, and a mark before it.

import type { SessionEvent } from '../../model/event.ts'
import type { EventId } from '../../model/ids.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { ViewOptions } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'
import { UserError } from '../command.ts'

/** Its turn, in its thread. */
export function viewAround(graph: SessionGraph, text: string): ViewOptions {
  const event = eventNamed(graph, text)
  const view: ViewOptions = {}
  const thread = graph.threads.find(one => one.id === event.thread)
  if (thread?.kind === 'subagent') view.thread = thread.id
  const turn = graph.turns.find(one => one.thread === event.thread && one.events.includes(event.id))
  if (turn !== undefined) view.turn = turn.index
  return view
}

/** The event itself, or the call that shows it where it is a result. */
export function markedItem(graph: SessionGraph, text: string): EventId {
  const { id } = eventNamed(graph, text)
  const call = graph.toolCalls.find(one => one.resultEvent === id)
  return call?.requestEvent ?? id
}

/** A line before the item that is meant; one event may be several items, of which the first has it. */
export function* withMark(items: Iterable<ViewItem>, marked: EventId): Generator<ViewItem> {
  let isMarked = false
  for (const item of items) {
    if (!isMarked && item.id === marked) {
      isMarked = true
      yield markBefore(item)
    }
    yield item
  }
}

function markBefore({ id, thread }: ViewItem): ViewItem {
  const headline = `↓ this is event ${id}`
  return { id, kind: 'notice', actor: 'client', thread, at: null, headline, badges: [], body: [], isQuiet: false }
}

/** By its id, the beginning of it, or `@` and its place in the file. */
function eventNamed(graph: SessionGraph, text: string): SessionEvent {
  const same = graph.events.find(event => event.id === text)
  if (same !== undefined) return same
  const isMeant = (id: string) => (text.startsWith('@') ? id.endsWith(text) : id.startsWith(text))
  const found = text.length < 2 ? [] : graph.events.filter(event => isMeant(event.id))
  const [first] = found
  if (first === undefined) throw new UserError(`no event "${text}" in this session; clew events lists them`)
  // A uuid that stands twice has `~2` behind it the second time: the first one is meant.
  const others = new Set(found.map(({ id }) => id.replace(/~\d+$/, '')))
  if (others.size > 1 && !text.startsWith('@')) {
    throw new UserError(`"${text}" is not unique; it begins ${[...others].slice(0, 8).join(', ')}`)
  }
  return first
}
