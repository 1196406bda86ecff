// Rows of sessions that may match, made one by one while others still look for more of them. Where a session has no title of
// its own, another session of its folder may hold it. Nothing is read but the ends of files.

import { dirname } from 'node:path'
import { quickRows } from '../cli/list/list-quick.ts'
import { type ListRow, mainLogs } from '../cli/list/list-row.ts'
import { withEnds } from '../disk/read/ends.ts'
import type { ByteSource, LogFile, SessionFiles } from '../model/source.ts'

/** Where the title may be another one once all sessions of the folder are looked at. */
const namedByOthers: ReadonlySet<ListRow['titleFrom']> = new Set(['summary', 'first-prompt', 'id'])

export class SessionRows {
  private readonly all: readonly SessionFiles[]
  private readonly source: ByteSource
  private readonly known = new Map<SessionFiles, ListRow>()
  /** By folder: sessions whose bytes may name others. */
  private readonly suspects = new Map<string, Set<SessionFiles>>()
  /** Folders of sessions without a title of their own. */
  private readonly unnamed = new Set<string>()
  private readonly tellers = new Map<SessionFiles, boolean>()

  constructor(all: readonly SessionFiles[], source: ByteSource) {
    this.all = all
    this.source = source
  }

  /** Looks at a session whose row will be asked for. */
  note(session: SessionFiles): void {
    if (this.known.has(session)) return
    for (const row of quickRows([session], this.source)) {
      this.known.set(session, row)
      if (!namedByOthers.has(row.titleFrom)) continue
      for (const folder of foldersOf(session)) {
        if (this.unnamed.has(folder)) continue
        this.unnamed.add(folder)
        this.tellersIn(folder)
      }
    }
  }

  /** The bytes of a log of the session do not tell that it names no others. */
  suspect(session: SessionFiles, log: LogFile): void {
    if (!mainLogs(session).includes(log)) return
    for (const folder of foldersOf(session)) {
      const others = this.suspects.get(folder)
      if (others === undefined) this.suspects.set(folder, new Set([session]))
      else others.add(session)
      if (this.unnamed.has(folder)) this.isTeller(session)
    }
  }

  /** The rows of some sessions, in their order: of all, or of those that are left once all suspects are known. */
  of(some: readonly SessionFiles[]): ListRow[] {
    if (this.known.size === 0 && some.length === this.all.length) return quickRows(some, this.source)
    for (const session of some) this.note(session)
    const rows = some.flatMap(session => this.known.get(session) ?? [])
    const unnamed = rows.filter(row => namedByOthers.has(row.titleFrom)).map(row => row.session)
    const folders = new Set(unnamed.flatMap(foldersOf))
    const tellers = new Set([...folders].flatMap(folder => this.tellersIn(folder)))
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
    return [...(this.suspects.get(folder) ?? [])].filter(session => this.isTeller(session))
  }

  private isTeller(session: SessionFiles): boolean {
    let isTeller = this.tellers.get(session)
    if (isTeller === undefined) {
      isTeller = namesOthers(session, this.source)
      this.tellers.set(session, isTeller)
    }
    return isTeller
  }
}

function foldersOf(session: SessionFiles): string[] {
  return mainLogs(session).map(log => dirname(log.path))
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
