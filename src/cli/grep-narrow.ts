// Which sessions are searched, and in which order: those that are asked for and whose bytes may match, the latest first.
// Nothing is decoded but the ends of their files.

import { dirname } from 'node:path'
import { withEnds } from '../disk/ends.ts'
import { mergeDiscoveries } from '../disk/resolve.ts'
import type { ByteSource, SessionFiles } from '../model/source.ts'
import type { GlobalOptions } from './command.ts'
import { type Filters, keeps, mayKeep } from './filters.ts'
import type { Asked } from './grep-asked.ts'
import type { GrepHands } from './grep-hands.ts'
import { bytesOfPart, type EarlierLog, type GrepPiece, type Part, partsOf, piecesOf, spillsOf } from './grep-piece.ts'
import type { Sifted } from './grep-sieve.ts'
import { countedTree } from './grep-tree.ts'
import { discoverRoots, sessionOf } from './input.ts'
import { quickRows } from './list-quick.ts'
import { type ListRow, mainLogs, whenOf } from './list-row.ts'
import { say } from './output.ts'
import { tellUnread } from './run-ls.ts'

export interface Narrowed {
  /** All sessions there are. */
  all: SessionFiles[]
  /** Those to search, with their pieces in the same order. */
  rows: ListRow[]
  pieces: GrepPiece[][]
  /** How many sessions were looked at; absent where some were left out before that was known. */
  looked?: number
}

/** Up to this much, all bytes are looked at before the first match is printed. */
const mostLooked = 1024 * 1024 * 1024

interface Searched {
  session: SessionFiles
  parts: Part[]
  hasCopies: boolean
}

export async function narrow(asked: Asked, globals: GlobalOptions, hands: GrepHands): Promise<Narrowed> {
  const all = await sessionsFor(asked, globals, hands)
  const earlier = await earlierFor(asked, globals)
  const searched = all.map((session): Searched => {
    const before = session.logs.flatMap(earlier)
    const hasCopies = before.length > 0 || spillsOf(session).length > 0
    return { session, parts: partsOf(session, before), hasCopies }
  })
  const left = sieved(searched, asked, hands)
  const { project, since, until } = asked.filters
  const place: Filters = { has: [], ...(project === undefined ? {} : { project }) }
  const from: Filters = { has: [], ...(since === undefined ? {} : { since }) }
  const times: Filters = { ...from, ...(until === undefined ? {} : { until }) }
  const bySession = new Map(left.map(one => [one.session, one]))
  const rows = rowsFor([...bySession.keys()], all, globals)
    .filter(row => keeps(row, place) && mayKeep(row, from))
    .sort((one, other) => whenOf(other) - whenOf(one))
  const pieces = rows.map(row => {
    const { parts = [], hasCopies = false } = bySession.get(row.session) ?? {}
    const piece = { session: row.session.id, parts, hasCopies, countsTimeless: keeps(row, times) }
    return piecesOf(piece, asked.options.tool !== undefined)
  })
  const narrowed: Narrowed = { all, rows, pieces }
  if (project === undefined && since === undefined) narrowed.looked = all.length
  return narrowed
}

async function sessionsFor({ session }: Asked, globals: GlobalOptions, hands: GrepHands): Promise<SessionFiles[]> {
  if (session !== undefined) return [await sessionOf(session, globals)]
  const tree = countedTree(globals.tree, bytes => hands.prepare(bytes))
  const { discoveries, isSample } = await discoverRoots({ ...globals, tree })
  tellUnread(
    discoveries.flatMap(discovery => discovery.findings),
    globals.quiet,
  )
  if (isSample && !globals.quiet) say('clew: you have no sessions yet; these are of the bundled sample history')
  return mergeDiscoveries(discoveries, globals.source)
}

/** Where one generation is named, no other is asked for. */
async function earlierFor(asked: Asked, globals: GlobalOptions): Promise<(log: Log) => EarlierLog[]> {
  const { archive, source } = globals
  if (archive === undefined || /@\d{1,6}$/.test(asked.session ?? '')) return () => []
  const { earlierLogs } = await import('./grep-earlier.ts')
  return earlierLogs(archive, source)
}

type Log = SessionFiles['logs'][number]

/** Without the parts, and the sessions, whose bytes cannot match. */
function sieved(searched: Searched[], { options }: Asked, hands: GrepHands): Searched[] {
  const parts = searched.flatMap(one => one.parts)
  const bytes = parts.reduce((sum, part) => sum + bytesOfPart(part), 0)
  hands.prepare(bytes)
  if (options.texts === null || bytes > mostLooked) return searched
  const sifted = hands.sift(parts)
  let at = 0
  const left: Searched[] = []
  for (const one of searched) {
    const found = one.parts.flatMap(part => siftedPart(part, sifted[at++] ?? null))
    // Which results are a tool's, only the rest of the session tells.
    if (found.length > 0) left.push(options.tool === undefined ? { ...one, parts: found } : one)
  }
  return left
}

function siftedPart(part: Part, sifted: Sifted): Part[] {
  if (sifted === null) return [part]
  if (sifted.lines.length === 0) return []
  return ['side' in part ? part : { ...part, lines: sifted.lines, lineBytes: sifted.bytes }]
}

/** Rows of some sessions; where one has no title of its own, another session of its folder may hold it. */
function rowsFor(some: SessionFiles[], all: readonly SessionFiles[], { source }: GlobalOptions): ListRow[] {
  const rows = quickRows(some, source)
  if (some.length === all.length) return rows
  const unnamed = new Set(
    rows.filter(row => row.titleFrom === 'first-prompt' || row.titleFrom === 'id').map(row => row.session),
  )
  const folders = new Set([...unnamed].flatMap(foldersOf))
  const near = all.filter(session => foldersOf(session).some(folder => folders.has(folder)))
  const tellers = near.filter(session => namesOthers(session, source))
  if (tellers.length === 0) return rows
  const read = new Set([...tellers, ...unnamed])
  const named = quickRows(
    all.filter(session => read.has(session)),
    source,
  )
  const bySession = new Map(named.map(row => [row.session, row]))
  return rows.map(row => (unnamed.has(row.session) ? (bySession.get(row.session) ?? row) : row))
}

const summaryTypes: ReadonlySet<string> = new Set(['summary'])

/** Whether the ends of its files have summaries, which may be of other sessions. */
function namesOthers(session: SessionFiles, source: ByteSource): boolean {
  let found = false
  const note = () => {
    found = true
  }
  for (const log of mainLogs(session)) {
    withEnds(log, source, ends => {
      ends.tailRecords(summaryTypes, note)
      ends.wholeHead()
      ends.headRecords(summaryTypes, note)
    })
  }
  return found
}

function foldersOf(session: SessionFiles): string[] {
  return mainLogs(session).map(log => dirname(log.path))
}
