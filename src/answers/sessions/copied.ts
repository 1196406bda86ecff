// What sessions copied from each other where there is no index: the beginnings of files show which may have records in common,
// and only those are read. Who copied what is decided in `graph/lineage`.

import { othersInFolder } from '../../disk/discover/discover.ts'
import { foldersOf } from '../../disk/discover/folder-titles.ts'
import { allLogs } from '../../disk/discover/merge.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { recordIdsIn } from '../../disk/discover/same-session.ts'
import { withEnds } from '../../disk/read/ends.ts'
import { ReadError } from '../../disk/read/read.ts'
import { copiedParts, EventDigest } from '../../graph/lineage/lineage.ts'
import type { CopiedPart, SessionDigest } from '../../model/session.ts'
import { type ByteSource, isBeingWritten, lastChange, mainLogs, type SessionFiles } from '../../model/source.ts'
import { type LoadOptions, readEvents } from '../../session/load.ts'
import type { QuickRow } from '../../session/scan/quick-rows.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import { memo } from '../memo.ts'
import { discoverRoots, fileOf, originFinder } from './find.ts'
import { titledElsewhere } from './rows.ts'

/** By session; those that copied nothing are not in it. */
export type CopiedParts = ReadonlyMap<string, CopiedPart>

/** What one session copied: from the index, else by comparing it with those that it may be related to. */
export async function copiedPartFor(session: SessionFiles, clew: Clew): Promise<CopiedPart | undefined> {
  const index = await indexFor(clew)
  if (index !== null) {
    const { copiedPartOf } = await import('../../index/refresh/projection.ts')
    return copiedPartOf(index.db, session.id)
  }
  const others = await relativesOf(session, clew)
  return (await copiedPartsIn([session, ...others], clew.source)).get(session.id)
}

/** Other sessions that one may have records of: those of its folder, and those that begin like it or that it names. */
export async function relativesOf(session: SessionFiles, clew: Clew): Promise<SessionFiles[]> {
  const { sessions, families } = await related(clew)
  const own = new Set(session.logs.map(fileOf))
  const listed = sessions.find(one => allLogs(one).some(log => own.has(fileOf(log))))
  if (listed === undefined) return othersInFolder(session, clew.tree)
  const folders = new Set(listed.slug === '' ? [] : foldersOf(listed))
  const isNear = (one: SessionFiles) => foldersOf(one).some(folder => folders.has(folder))
  const family = families.find(members => members.includes(listed)) ?? []
  return sessions.filter(one => one !== listed && (isNear(one) || family.includes(one)))
}

const related = memo(async (clew: Clew) => {
  const { discoveries } = await discoverRoots(clew)
  const sessions = mergeDiscoveries(discoveries, clew.source)
  return { sessions, families: familiesIn(sessions, clew.source) }
})

/** The same of some sessions. */
export async function copiedPartsFor(sessions: readonly SessionFiles[], clew: Clew): Promise<CopiedParts> {
  const parts = new Map<string, CopiedPart>()
  for (const session of sessions) {
    const part = await copiedPartFor(session, clew)
    if (part !== undefined) parts.set(session.id, part)
  }
  return parts
}

/** The rows, where the ends of a file show what it copied: as the whole file shows them. `sessions`: all there are. */
export async function ownRows(
  rows: readonly QuickRow[],
  sessions: readonly SessionFiles[],
  clew: Clew,
): Promise<QuickRow[]> {
  const copied = await copiedPartsIn(sessions, clew.source, new Set(rows.map(row => row.session)))
  const copies = await rowsOf(
    rows.flatMap(({ session }) => (copied.has(session.id) ? session : [])),
    copied,
    clew,
  )
  const bySession = new Map(copies.map(row => [row.session, row]))
  return rows.map(row => {
    const own = bySession.get(row.session)
    if (own === undefined) return row
    const isOwn = row.titleLeaf === undefined || isAfter(row.titleLeaf, copied.get(own.session.id), own.session, clew)
    return isOwn ? titledElsewhere(own, row) : own
  })
}

/** Whether a record is later in a log than what the session copied. */
function isAfter(leaf: string, part: CopiedPart | undefined, session: SessionFiles, { source }: Clew): boolean {
  return mainLogs(session).some(log => {
    const tail = withEnds(log, source, ends => ends.tailUuids()) ?? []
    return tail.lastIndexOf(leaf) > tail.lastIndexOf(part?.last ?? '')
  })
}

/** Rows of sessions that copied from each other, for lists of the ends of files. `sessions`: all that one may have copied from. */
export async function copiedRows(sessions: readonly SessionFiles[], clew: Clew): Promise<QuickRow[]> {
  const copied = await copiedPartsIn(sessions, clew.source)
  return rowsOf(
    sessions.filter(session => copied.has(session.id)),
    copied,
    clew,
  )
}

async function rowsOf(copies: readonly SessionFiles[], copied: CopiedParts, clew: Clew): Promise<QuickRow[]> {
  if (copies.length === 0) return []
  const { fullRows } = await import('./full-rows.ts')
  const { rows } = await fullRows(copies, { copied }, clew)
  return rows.map(({ facts: _, ...row }) => row)
}

/** How one session is loaded so that it is known what of it is its own, and whether its calls may still run. */
export async function loadOptionsFor(session: SessionFiles, clew: Clew): Promise<LoadOptions> {
  return {
    findOrigin: originFinder(session, clew),
    copied: await copiedPartFor(session, clew),
    isLive: endedAt => isBeingWritten(session, endedAt, Date.now()),
  }
}

/** `sessions`: all that one may have copied from; `some`: those that matter. */
export async function copiedPartsIn(
  sessions: readonly SessionFiles[],
  source: ByteSource,
  some?: ReadonlySet<SessionFiles>,
): Promise<CopiedParts> {
  const parts = new Map<string, CopiedPart>()
  for (const family of familiesIn(sessions, source)) {
    if (some !== undefined && !family.some(session => some.has(session))) continue
    for (const [id, part] of await copiedPartsOf(family, source)) parts.set(id, part)
  }
  return parts
}

/** Of sessions that have records in common: their main files are read. One that cannot be read has copied nothing. */
export async function copiedPartsOf(family: readonly SessionFiles[], source: ByteSource): Promise<CopiedParts> {
  const digests: SessionDigest[] = []
  for (const session of family) {
    const digest = new EventDigest(session.id)
    try {
      for (const log of mainLogs(session)) {
        for await (const event of readEvents(source, log, { session: session.id })) digest.see(event)
      }
    } catch (error) {
      if (error instanceof ReadError) continue
      throw error
    }
    digests.push(digest.digest(lastChange(session)))
  }
  return copiedParts(digests)
}

/** Sessions whose files begin with the same records or answers, or name each other; and those that say they are forks. */
function familiesIn(sessions: readonly SessionFiles[], source: ByteSource): SessionFiles[][] {
  const families = new Families()
  const forks = new Set<SessionFiles>()
  const known = new Map<string, SessionFiles>(sessions.map(session => [`session ${session.id}`, session]))
  for (const session of sessions) {
    for (const id of idsIn(session, source)) {
      if (id.startsWith('fork ')) {
        forks.add(session)
        families.join(session, session)
      }
      const name = id.replace(/^fork /, 'session ')
      const other = known.get(name)
      if (other === undefined) known.set(name, session)
      else families.join(other, session)
    }
  }
  return families.all().filter(family => family.length > 1 || family.some(session => forks.has(session)))
}

/** The ids of records and answers at the beginning, and of sessions that are named there. */
function idsIn(session: SessionFiles, source: ByteSource): Set<string> {
  const ids = new Set<string>()
  for (const log of mainLogs(session)) {
    const head = withEnds(log, source, ends => ends.headText()) ?? ''
    for (const id of recordIdsIn(head)) ids.add(id)
    for (const [, id] of head.matchAll(sessionField)) if (id !== session.id) ids.add(`session ${id}`)
    for (const [, id] of head.matchAll(forkField)) ids.add(`fork ${id}`)
  }
  return ids
}

const sessionField = /"sessionId"\s*:\s*"([\w.-]{8,200})"/g
const forkField = /"forkedFrom"\s*:\s*\{[^{}]*?"sessionId"\s*:\s*"([\w.-]{8,200})"/g

class Families {
  private readonly heads = new Map<SessionFiles, SessionFiles>()

  join(one: SessionFiles, other: SessionFiles): void {
    const [head, second] = [this.headOf(one), this.headOf(other)]
    if (head !== second) this.heads.set(second, head)
  }

  all(): SessionFiles[][] {
    const members = new Map<SessionFiles, SessionFiles[]>()
    for (const session of this.heads.keys()) {
      const head = this.headOf(session)
      members.set(head, [...(members.get(head) ?? []), session])
    }
    return [...members.values()]
  }

  private headOf(session: SessionFiles): SessionFiles {
    let head = session
    for (let next = this.heads.get(head); next !== undefined && next !== head; next = this.heads.get(head)) head = next
    this.heads.set(session, head)
    return head
  }
}
