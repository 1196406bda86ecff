// A place that is shown: its ids, its text, where else it stands. Only for the few that are shown, since each is read back.

import { toInstant } from '../../base/instant.ts'
import type { ByteSource } from '../../model/source.ts'
import { textFields } from '../../session/indexed-texts.ts'
import { numberToKind } from '../ingest/rows.ts'
import type { Term } from './expression.ts'
import type { Facts } from './facts.ts'
import type { SearchHit } from './hit.ts'
import type { Place } from './places.ts'
import { readText, rowOf } from './read-text.ts'
import { isSame, type SameHit } from './same-hit.ts'
import { snippetOf } from './snippet.ts'

const [onDisk, gone, earlier] = [0, 1, 2]

export function toHit(
  { place, best }: SameHit<Place & { score?: number }>,
  terms: readonly Term[],
  columns: number,
  facts: Facts,
  source: ByteSource,
): SearchHit {
  const { event, origin, at, kind, field } = place
  const file = facts.fileOf(event)
  const said = facts.originOf(origin)
  const row = rowOf(facts.db, event)
  const session = facts.sessionIdOf(event, origin)
  const { title, slug, cwd } = facts.sessionOf(session)
  const text = row === null ? null : readText(place, row, facts, source)
  const line = text === null ? { snippet: '', highlights: [] } : snippetOf(text, terms, columns)
  const hit: SearchHit = {
    session,
    thread: said?.thread ?? session,
    event: row?.uuid ?? `${said?.session ?? session}@${row?.offset ?? 0}`,
    kind: numberToKind(kind),
    at: at === null ? null : toInstant(at),
    snippet: line.snippet,
    highlights: line.highlights,
    field: textFields[field] ?? 'other',
    title,
    project: { cwd: said?.cwd ?? cwd, slug },
    file: file?.path ?? '',
  }
  if (best.score !== undefined) hit.score = Math.round(best.score * 1000) / 1000
  if (text === null) hit.isUnreadable = true
  if (file?.standing === earlier) hit.generation = file.number
  if (file?.standing === gone) hit.isArchived = true
  const copies = copiesOf(place, facts)
  if (copies > 0) hit.copies = copies
  return hit
}

/** In how many other files the same stands, whatever the filters say of those. */
function copiesOf(place: Place, facts: Facts): number {
  const files = new Set<number | undefined>()
  for (const other of facts.placesOf(place.text)) {
    if (isSame(place, other, facts)) files.add(facts.fileOf(other.event)?.id)
  }
  files.delete(facts.fileOf(place.event)?.id)
  return files.size
}

/** Without places of earlier contents whose text still stands in the file that is on disk. */
export function onlyInArchive<Kind extends Place>(places: readonly Kind[], facts: Facts): Kind[] {
  return places.filter(place => {
    if (facts.fileOf(place.event)?.standing !== earlier) return true
    const session = facts.sessionIdOf(place.event, place.origin)
    return !facts
      .placesOf(place.text)
      .some(
        other =>
          facts.fileOf(other.event)?.standing === onDisk && facts.sessionIdOf(other.event, other.origin) === session,
      )
  })
}
