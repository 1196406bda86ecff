// The events of a session that is too large to be held whole: thin ones from the index's rows, and behind them those of bytes that
// are newer than the rows. No text is in the thin ones but what rows keep.

import { asObject } from '../../base/json.ts'
import { FileTail, readLive } from '../../disk/watch/state.ts'
import { buildGraph } from '../../graph/graph.ts'
import { indexedSession, ProjectionReader } from '../../index/refresh/projection.ts'
import { callCommands } from '../../index/search/call-commands.ts'
import { eventsWithTexts } from '../../index/search/said.ts'
import type { Database } from '../../index/store/port.ts'
import type { Block, SessionEvent } from '../../model/event.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { ByteSource, LogFile, SessionFiles } from '../../model/source.ts'
import { GrowingLog, graphFile } from '../../session/load.ts'
import { addCallLinks } from './thin-links.ts'

/** From so much before the end of the rows a decoder learns what it needs to go on. */
const warmBytes = 64 * 1024

interface HeldEvents {
  thin: readonly SessionEvent[]
  /** Up to where rows tell of the file. */
  told: number
  generation: string
  /** What is newer; absent as long as nothing is. */
  newer?: { log: GrowingLog; tail: FileTail; at: number }
}

export class LargeEvents {
  /** Results that something stands beside: rows do not tell what. */
  readonly beside: SessionEvent[] = []
  private readonly held = new Map<string, HeldEvents>()

  /** Null where the index does not know the session, or its logs are of a form that has to be read as a whole. */
  static async read(db: Database, files: SessionFiles, source: ByteSource): Promise<LargeEvents | null> {
    const { session, fileIds } = indexedSession(db, files.id)
    const reader = new ProjectionReader(db, 'stats')
    const large = new LargeEvents()
    for (const log of files.logs) {
      const known = session.logs.find(({ path }) => path === log.path)
      const id = known === undefined ? undefined : fileIds.get(known.generation)
      // What is not indexed yet is small, or was just begun: it is read whole.
      if (known === undefined || id === undefined || known.size > log.size) continue
      const thin = reader.events({ id, path: log.path })
      if (thin.some(({ dialect }) => dialect !== 'client' && dialect !== 'unknown')) return null
      addCommands(db, id, thin)
      large.beside.push(...addSaid(db, id, thin))
      await addCallLinks(thin, log, source)
      large.held.set(log.path, { thin, told: known.size, generation: log.generation })
      await new Promise(resolve => setImmediate(resolve))
    }
    return large.held.size === 0 ? null : large
  }

  /** Bytes that came after the rows. */
  get newerBytes(): number {
    let sum = 0
    for (const { newer, told } of this.held.values()) sum += newer === undefined ? 0 : newer.log.bytes - told
    return sum
  }

  /** The graph of the files at their length now; null where a file is no longer the one that rows tell of. */
  graph(files: SessionFiles): SessionGraph | null {
    const graphFiles = []
    for (const log of files.logs) {
      const events = this.eventsOf(log, files)
      if (events === null) return null
      graphFiles.push(graphFile(log, events))
    }
    return buildGraph(files.id, graphFiles, files.side)
  }

  private eventsOf(log: LogFile, files: SessionFiles): readonly SessionEvent[] | null {
    const held = this.held.get(log.path) ?? { thin: [], told: 0, generation: log.generation }
    this.held.set(log.path, held)
    if (log.size < held.told) return null
    if (log.size === held.told && held.newer === undefined) return held.thin
    if (log.isKept === true) return null
    held.newer ??= begin(held, log, files)
    const { newer } = held
    for (let isLast = newer.log.bytes >= log.size; !isLast; ) {
      const read = newer.tail.read(log.size)
      if (read === 'rewritten') return null
      if (read.bytes.length > 0) newer.log.push(read.bytes)
      isLast = read.isLast
    }
    return [...held.thin.slice(0, newer.at), ...newer.log.events()]
  }
}

/** The last record is read again: it may have been unfinished when it was indexed. */
function begin({ thin }: HeldEvents, log: LogFile, files: SessionFiles): NonNullable<HeldEvents['newer']> {
  const last = thin.at(-1)?.source
  if (last === undefined) return { log: new GrowingLog(log, files.id), tail: new FileTail(log.path), at: 0 }
  const at = thin.findIndex(({ source }) => source.line === last.line)
  const { offset, line } = thin[at]?.source ?? last
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
const thoughts: Block = { type: 'thinking', text: '', logged: false }

/** Answers without calls say or think something; which of it decides whether they are quiet. Gives results with words. */
function addSaid(db: Database, file: number, events: readonly SessionEvent[]): SessionEvent[] {
  const spoken = eventsWithTexts(db, file, ['text'])
  // Beside results there may be blocks that have no meaning here; an answer without words has such texts, too.
  const beside = eventsWithTexts(db, file, ['text', 'other'])
  for (const [ordinal, event] of events.entries()) {
    if (event.kind === 'answer' && event.blocks.length === 0) event.blocks = [spoken.has(ordinal) ? words : thoughts]
  }
  return events.filter((event, ordinal) => event.kind === 'tool-results' && beside.has(ordinal))
}
