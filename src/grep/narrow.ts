// Which sessions are searched, and in which order: those that are asked for and whose bytes may match, the latest first.
// Nothing is decoded but the ends of their files.

import type { GlobalOptions } from '../cli/command.ts'
import { tellUnread } from '../cli/commands/ls.ts'
import type { Asked } from '../cli/grep/asked.ts'
import { discoverRoots, sessionOf } from '../cli/input.ts'
import { type Filters, keeps, mayKeep } from '../cli/list/filters.ts'
import { type ListRow, whenOf } from '../cli/list/list-row.ts'
import { say } from '../cli/terminal/output.ts'
import { startProgress } from '../cli/terminal/progress.ts'
import { mergeDiscoveries } from '../disk/discover/resolve.ts'
import type { SessionFiles } from '../model/source.ts'
import type { GrepHands } from './hands.ts'
import {
  bytesOfPart,
  type EarlierLog,
  type GrepPiece,
  type LogPart,
  type Part,
  partsOf,
  piecesOf,
  spillsOf,
} from './piece.ts'
import { SessionRows } from './rows.ts'
import { mostLines, type Sifted } from './sieve.ts'
import type { Tell } from './sifting.ts'
import { textTree } from './tree.ts'

export interface Narrowed {
  /** All sessions there are. */
  all: SessionFiles[]
  /** Those to search, with their pieces in the same order. */
  rows: ListRow[]
  pieces: GrepPiece[][]
  /** How many sessions were looked at; absent where some were left out before that was known. */
  looked?: number
}

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
  const sessionRows = new SessionRows(all, globals.source)
  const left = await sieved(searched, { asked, hands, rows: sessionRows, isQuiet: globals.quiet })
  const { project, since, until } = asked.filters
  const place: Filters = { has: [], ...(project === undefined ? {} : { project }) }
  const from: Filters = { has: [], ...(since === undefined ? {} : { since }) }
  const times: Filters = { ...from, ...(until === undefined ? {} : { until }) }
  const bySession = new Map(left.map(one => [one.session, one]))
  const rows = sessionRows
    .of([...bySession.keys()])
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
  const tree = textTree(globals.tree, log => hands.meet(log))
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
  const { earlierLogs } = await import('./earlier.ts')
  return earlierLogs(archive, source)
}

type Log = SessionFiles['logs'][number]

interface Sieving {
  asked: Asked
  hands: GrepHands
  rows: SessionRows
  isQuiet: boolean
}

/**
 * Without the parts, and the sessions, whose bytes cannot match. While other threads look at bytes, what may match is
 * searched already, and its session looked at.
 */
async function sieved(searched: Searched[], sieving: Sieving): Promise<Searched[]> {
  const { asked, hands, rows, isQuiet } = sieving
  const { tool, since, until } = asked.options
  // Which results are a tool's, only the rest of the session tells; which session counts, its row.
  const isEarly = [tool, since, until, asked.filters.project].every(one => one === undefined)
  const places = searched.flatMap(one => one.parts.map((part, at) => ({ one, part, at })))
  const left = new Map<Searched, Part[][]>()
  const total = places.reduce((sum, { part }) => sum + bytesOfPart(part), 0)
  const progress = startProgress({ what: 'searching', total, isQuiet })
  const tell: Tell = async (place, sifted, isLooking) => {
    const { one, part, at } = places[place] as (typeof places)[number]
    progress.add(bytesOfPart(part))
    if ('log' in part && sifted?.hasSummaries !== false) rows.suspect(one.session, part.log)
    const [found] = siftedPart(part, sifted, one.hasCopies)
    if (found === undefined) return
    rows.note(one.session)
    if (isEarly && isLooking && 'log' in found && isShort(found)) {
      const { session, hasCopies } = one
      const piece = { session: session.id, parts: [], hasCopies, countsTimeless: true }
      const early = await hands.searchEarly(found, piece)
      if (early !== null) found.found = early
    }
    const parts = left.get(one) ?? []
    parts[at] = [found]
    left.set(one, parts)
  }
  const parts = places.map(({ part }) => part)
  const hasSifted = await hands.sift(parts, tell).finally(() => progress.end())
  if (!hasSifted) return searched
  return searched.flatMap(one => {
    const parts = left.get(one)
    if (parts === undefined) return []
    return tool === undefined ? { ...one, parts: parts.flat() } : one
  })
}

/** Whether few lines are left to be searched: what is more is shared with others later. */
function isShort({ lines, found }: LogPart): boolean {
  return lines !== undefined && lines.length <= mostLines && found === undefined
}

/** `hasCopies`: what was counted has to be told one by one all the same. */
function siftedPart(part: Part, sifted: Sifted, hasCopies: boolean): Part[] {
  if (sifted === null) return [part]
  const { lines, bytes, counted, matches } = sifted
  if (lines.length === 0 && matches === 0) return []
  if ('side' in part) return [part]
  if (matches === 0) return [{ ...part, lines, lineBytes: bytes }]
  if (!hasCopies) {
    const found = { hits: [], keys: [], count: matches }
    return [lines.length === 0 ? { ...part, found: [found] } : { ...part, lines, lineBytes: bytes, counted: matches }]
  }
  if (counted === null) return [part]
  const all = [...lines, ...counted].sort((one, other) => one.offset - other.offset)
  return [{ ...part, lines: all, lineBytes: all.reduce((sum, line) => sum + line.length, 0) }]
}
