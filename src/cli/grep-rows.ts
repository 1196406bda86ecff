// Rows of sessions that may match, made one by one while others still look for more of them. Where a session has no title of
// its own, another session of its folder may hold it. Nothing is read but the ends of files.

import { dirname } from 'node:path'
import { withEnds } from '../disk/ends.ts'
import type { ByteSource, SessionFiles } from '../model/source.ts'
import { quickRows } from './list-quick.ts'
import { type ListRow, mainLogs } from './list-row.ts'

/** Where the title may be another one once all sessions of the folder are looked at. */
const namedByOthers: ReadonlySet<ListRow['titleFrom']> = new Set(['summary', 'first-prompt', 'id'])

export class SessionRows {
  private readonly all: readonly SessionFiles[]
  private readonly source: ByteSource
  private readonly known = new Map<SessionFiles, ListRow>()
  /** For folders of sessions without a title of their own: sessions that name others. */
  private readonly tellers = new Map<string, SessionFiles[]>()
  private byFolder: Map<string, SessionFiles[]> | undefined

  constructor(all: readonly SessionFiles[], source: ByteSource) {
    this.all = all
    this.source = source
  }

  /** Looks at a session whose row will be asked for. */
  note(session: SessionFiles): void {
    if (this.known.has(session)) return
    for (const row of quickRows([session], this.source)) {
      this.known.set(session, row)
      if (namedByOthers.has(row.titleFrom)) for (const folder of foldersOf(session)) this.tellersIn(folder)
    }
  }

  /** The rows of some sessions, in their order. */
  of(some: readonly SessionFiles[]): ListRow[] {
    if (this.known.size === 0 && some.length === this.all.length) return quickRows(some, this.source)
    for (const session of some) this.note(session)
    const rows = some.flatMap(session => this.known.get(session) ?? [])
    const unnamed = rows.filter(row => namedByOthers.has(row.titleFrom)).map(row => row.session)
    const tellers = new Set(unnamed.flatMap(foldersOf).flatMap(folder => this.tellersIn(folder)))
    if (tellers.size === 0) return rows
    const read = new Set([...tellers, ...unnamed])
    const named = quickRows(
      this.all.filter(session => read.has(session)),
      this.source,
    )
    const renamed = new Map(named.map(row => [row.session, row]))
    const isUnnamed = new Set(unnamed)
    return rows.map(row => (isUnnamed.has(row.session) ? (renamed.get(row.session) ?? row) : row))
  }

  private tellersIn(folder: string): SessionFiles[] {
    const known = this.tellers.get(folder)
    if (known !== undefined) return known
    this.byFolder ??= sessionsByFolder(this.all)
    const tellers = (this.byFolder.get(folder) ?? []).filter(session => namesOthers(session, this.source))
    this.tellers.set(folder, tellers)
    return tellers
  }
}

function foldersOf(session: SessionFiles): string[] {
  return mainLogs(session).map(log => dirname(log.path))
}

function sessionsByFolder(sessions: readonly SessionFiles[]): Map<string, SessionFiles[]> {
  const found = new Map<string, SessionFiles[]>()
  for (const session of sessions) {
    for (const folder of new Set(foldersOf(session))) {
      const others = found.get(folder)
      if (others === undefined) found.set(folder, [session])
      else others.push(session)
    }
  }
  return found
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
