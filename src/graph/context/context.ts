// What the reference client would send to its API if it resumed the session now. It reads the main thread's records by the
// client's own rules, which differ from those of the graph: see the files beside it. It repairs nothing in the log.

import type { SessionEvent } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Context, SessionGraph } from '../../model/session.ts'
import { buildChain } from './context-chain.ts'
import { chooseTip, leafAbove } from './context-leaf.ts'
import { type LinkTable, readLinks } from './context-links.ts'
import { composeMessages } from './context-messages.ts'

/** The client version whose reading is followed. */
const referenceClient = '2.1.325'

/** What the reference client would send if it resumed this session now. */
export function buildContext(graph: SessionGraph): Context {
  return contextOfEvents(graph.session, graph.events)
}

/** The same from events alone: main files in reading order; agent files may follow and are left out. */
export function contextOfEvents(session: SessionId, events: readonly SessionEvent[]): Context {
  const table = readLinks(session, events)
  const tip = chooseTip(table)
  if (tip === null) {
    const reason = whyNotFound(table, events.length)
    return { session, reference: referenceClient, resumable: false, reason, leaf: null, messages: [] }
  }
  const messages = composeMessages(buildChain(table, tip))
  return { session, reference: referenceClient, resumable: true, leaf: leafAbove(tip)?.event.id ?? null, messages }
}

function whyNotFound(table: LinkTable, events: number): string {
  if (events === 0) return 'No conversation found: the session has no records.'
  if (table.timeless > 0) return 'No conversation found: no message on the main thread has a timestamp.'
  if (table.links.some(link => !link.isMain))
    return 'No conversation found: every message belongs to a subagent (isSidechain).'
  return 'No conversation found: there is no user or assistant record on the main thread.'
}
