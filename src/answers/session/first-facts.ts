// What can be said of a session before its logs are read: its row, from the index or the ends of its files, and which versions
// wrote it.

import { othersInFolder } from '../../disk/discover/discover.ts'
import { isUnnamed } from '../../disk/discover/folder-titles.ts'
import { withEnds } from '../../disk/read/ends.ts'
import { mainLogs, type SessionFiles } from '../../model/source.ts'
import { quickRows } from '../../session/scan/quick-rows.ts'
import type { Clew } from '../clew.ts'
import { indexedRow } from '../sessions/indexed-rows.ts'
import type { ListRow } from '../sessions/rows.ts'
import type { ArchivePlaces } from './detail.ts'

export interface FirstFacts {
  row: ListRow
  /** Of Claude Code, at both ends of its files. */
  versions: readonly string[]
}

export async function firstFacts(session: SessionFiles, places: ArchivePlaces): Promise<FirstFacts> {
  const known = 'home' in places ? await indexedRow(places as Clew, session.id) : null
  const row = known?.rows[0] ?? (await quickRow(session, places))
  if (row === undefined) throw new Error('a session has a row')
  const versions = new Set<string>()
  for (const log of mainLogs(session)) {
    const found = withEnds(log, places.source, ends => [ends.firstField('version'), ends.lastField('version')])
    for (const version of found ?? []) if (version) versions.add(version)
  }
  return { row, versions: [...versions] }
}

/** Whether its row names it by its id alone, for lack of anything better. */
export function isNamedById({ titleFrom }: Pick<ListRow, 'titleFrom'>): boolean {
  return isUnnamed({ titleFrom })
}

/** From the ends of its files; from those of its folder where only they may name it. */
async function quickRow(session: SessionFiles, { source, tree }: ArchivePlaces): Promise<ListRow | undefined> {
  const [row] = quickRows([session], source)
  if (row === undefined || !isUnnamed(row)) return row
  return quickRows([session, ...(await othersInFolder(session, tree))], source)[0]
}
