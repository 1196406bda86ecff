// Searches output that was spilled into a file beside the log, and finds the call that printed it. Only files that were
// found beside the session are read.

import { basename } from 'node:path'
import { bytesToText } from '../base/bytes.ts'
import { RecordDecoder } from '../decode/decode.ts'
import type { SessionEvent } from '../model/event.ts'
import type { CallId, SessionId } from '../model/ids.ts'
import type { ByteSource, LogFile } from '../model/source.ts'
import { eventDecoder } from '../session/load.ts'
import { ByteFilter, regionsOf } from './candidates.ts'
import type { EventSearch, GrepHit } from './events.ts'
import type { FoundLine, LineMatcher } from './lines.ts'
import type { SidePart } from './piece.ts'

export interface SideSearch {
  source: ByteSource
  matcher: LineMatcher
  search: EventSearch
  session: SessionId
  /** Where to read into. */
  place: Buffer
}

/** A larger file is searched some lines at a time, without neighbours beyond those. */
const largestWhole = 16 * 1024 * 1024

export function searchSide(part: SidePart, asked: SideSearch): GrepHit[] {
  const lines = linesIn(part, asked)
  if (lines.length === 0) return []
  const owner = ownerOf(part, asked)
  const { thread, event, at } = owner
  const kind = 'tool-results' as const
  if (!asked.search.isAskedFor({ kind, at }) || !asked.search.isCallAskedFor(owner.callId)) return []
  return lines.map(line => ({ thread, event, kind, at, ...line, isBeside: true }))
}

function linesIn({ side }: SidePart, { source, matcher, place }: SideSearch): FoundLine[] {
  if (side.size <= largestWhole) {
    return matcher.find(bytesToText(source.readSync(side.generation, 0, largestWhole)))
  }
  const range = { generation: side.generation, from: 0, to: Number.POSITIVE_INFINITY }
  const found: FoundLine[] = []
  for (const region of regionsOf(source, range, place)) {
    for (const line of matcher.find(bytesToText(region.bytes))) found.push(line)
  }
  return found
}

interface Owner {
  thread: string
  /** Empty where no record names the file. */
  event: string
  at: SessionEvent['at']
  callId?: CallId
}

/** The result that names the file; logs are searched for its name, not decoded whole. */
function ownerOf({ side, logs }: SidePart, { source, session }: SideSearch): Owner {
  const name = basename(side.path)
  const filter = new ByteFilter([name], false)
  for (const log of logs) {
    const range = { generation: log.generation, from: 0, to: Number.POSITIVE_INFINITY }
    for (const region of regionsOf(source, range, filter.place)) {
      for (const line of filter.candidates(region)) {
        const owner = ownerIn(line.bytes, log, name, session)
        if (owner !== null) return owner
      }
    }
  }
  return { thread: session, event: '', at: null }
}

function ownerIn(line: Uint8Array, log: LogFile, name: string, session: SessionId): Owner | null {
  const records = new RecordDecoder(log.path)
  const events = eventDecoder(log, { session })
  for (const record of [...records.push(line), ...records.end()]) {
    const event = events.decode(record)
    for (const block of event?.blocks ?? []) {
      if (event === null || block.type !== 'tool-result' || block.spillFile === undefined) continue
      if (block.spillFile.split(/[\\/]/).at(-1) !== name) continue
      return { thread: event.thread, event: event.id, at: event.at, callId: block.callId }
    }
  }
  return null
}
