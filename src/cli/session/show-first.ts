// The beginning of a long session, from its first bytes alone, so that a first screen does not wait for the rest. Only
// items that later records cannot change are given; whoever prints them compares once everything is there.

import { RecordDecoder } from '../../decode/decode.ts'
import { buildGraph } from '../../graph/graph.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { GraphFile, SessionGraph } from '../../model/session.ts'
import type { ByteSource, LogFile, SessionFiles } from '../../model/source.ts'
import { eventDecoder } from '../../session/load.ts'
import { uncertainEvents } from '../../view/placement.ts'
import { viewSession } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'

export const firstBytes = 512 * 1024

/** The last records that were read may belong together with the next ones. */
const leftOut = 12

/** Items at the beginning that are certain; none where the session is short enough to be read at once. */
export async function firstItems(source: ByteSource, session: SessionFiles, bytes = firstBytes): Promise<ViewItem[]> {
  const main = session.logs.find(log => log.role === 'session')
  if (main === undefined || main !== session.logs[0] || main.size <= bytes) return []
  const events = await firstEvents(source, session, main, bytes)
  // A file in which nobody speaks may be no log at all: then nothing is printed before all of it was seen.
  if (!events.some(event => event.kind === 'prompt' || event.kind === 'answer')) return []
  const others = session.logs.filter(log => log.role !== 'session')
  const file: GraphFile = { path: main.path, role: main.role, events }
  const graph = buildGraph(session.id, [file], session.side)
  return certainItems(graph, viewSession(graph), others.length > 0)
}

async function firstEvents(
  source: ByteSource,
  session: SessionFiles,
  log: LogFile,
  bytes: number,
): Promise<SessionEvent[]> {
  const records = new RecordDecoder(log.path)
  const decoder = eventDecoder(log, { session: session.id })
  const events: SessionEvent[] = []
  for await (const chunk of source.read(log.generation, 0, bytes)) {
    // What the last line holds is not known yet: the decoder keeps it to itself.
    for (const record of records.push(chunk)) {
      const event = decoder.decode(record)
      if (event) events.push(event)
    }
  }
  return events
}

function certainItems(graph: SessionGraph, items: readonly ViewItem[], hasAgentFiles: boolean): ViewItem[] {
  const uncertain = uncertainEvents(graph, hasAgentFiles)
  const end = items.length - leftOut
  const lastPrompt = items.findLastIndex(item => item.kind === 'prompt')
  // The last turn is left to the second reading, unless it is all there is.
  const before = lastPrompt > end / 2 ? Math.min(lastPrompt, end) : end
  const stop = items.findIndex(item => uncertain.has(item.id))
  return items.slice(0, Math.max(0, stop < 0 ? before : Math.min(stop, before)))
}
