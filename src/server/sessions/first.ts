// The beginning of a session that is too long to be read while somebody waits: a head from the index where that knows it, and the
// first slots from the first bytes alone. Whoever shows it asks again when all of it is known.

import { buildGraph } from '../../graph/graph.ts'
import type { Database } from '../../index/store/port.ts'
import { type ByteSource, bytesOf, type SessionFiles } from '../../model/source.ts'
import { GrowingLog, graphFile } from '../../session/load.ts'
import { graphReader } from '../../session/reading/graph-reader.ts'
import { uncertainEvents } from '../../view/placement.ts'
import type { SessionHead, SlotItems } from '../../view/reading.ts'
import { firstHead, type HeadContext, withStanding } from './head.ts'
import { readRange } from './hydrate.ts'

const firstBytes = 320 * 1024
/** A session that the index does not know yet is read whole up to this. */
const unknownBytes = 4 * 1024 * 1024
const mostSlots = 48
/** About a screen: so much is given even where a call in it may still get its thread. */
const leastSlots = 12
/** The last records that were read may belong together with the next ones. */
const leftOut = 2

/** Null where the session is short, or its beginning tells nothing for sure: then all of it is read. */
export async function firstOf(
  db: Database | null,
  files: SessionFiles,
  source: ByteSource,
  context: HeadContext,
  most = firstBytes,
): Promise<{ head: SessionHead; items: SlotItems } | null> {
  const { facts } = context
  const [main] = files.logs
  // What the index does not know yet is read whole where that takes no time.
  const isKnown = db !== null && facts !== undefined
  if (main?.role !== 'session' || bytesOf(files) <= (isKnown ? most : unknownBytes)) return null
  const log = new GrowingLog(main, files.id)
  const bytes = await readRange(source, main, 0, most)
  // A line that goes on behind them is not there yet.
  log.push(bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1))
  const events = log.events()
  if (!events.some(event => event.kind === 'prompt' || event.kind === 'answer')) return null
  const graph = buildGraph(files.id, [graphFile(main, events)], files.side)
  const uncertain = uncertainEvents(graph, files.logs.length > 1)
  const reader = graphReader(graph)
  const groups = reader.slots.of(reader.slots.main)
  const stop = groups.findIndex(group => group.loose !== undefined || group.events.some(({ id }) => uncertain.has(id)))
  const sure = stop < 0 ? mostSlots : stop
  const end = Math.min(mostSlots, groups.length - leftOut, Math.max(sure, leastSlots))
  if (end < 1) return null
  const head = isKnown ? firstHead(db, facts, context) : withStanding(await reader.head(), context)
  return { head, items: await reader.items(0, end) }
}
