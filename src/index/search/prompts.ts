// What humans typed, as the index has it, with its place in its session. Long ones are cut; the whole text is in the log.

import { asArray, asObject, asString, parseJson } from '../../base/json.ts'
import { eventFlags } from '../../model/event.ts'
import { isInherited } from '../../model/origin.ts'
import { typedIn } from '../../model/typed-text.ts'
import { kindToNumber } from '../ingest/rows.ts'
import { copiedPartOf, indexedSession, ProjectionReader, projectedFiles } from '../refresh/projection.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'

export interface TypedPrompt {
  session: string
  /** The event's id. */
  event: string
  /** Milliseconds since 1970. */
  at: number | null
  text: string
  /** Where the whole of a text is that is cut. */
  whole?: { path: string; offset: number; bytes: number }
  cwd: string | null
}

const copy = 1 << eventFlags.indexOf('copy')
const human = 0

/** In no order. Those of a session are in its files, whatever session they state; what it copied is not among its own. */
export function typedPrompts(db: Database): TypedPrompt[] {
  const sql = `SELECT event.id, file.session, session.text, event.uuid, event.offset, event.bytes, event.at, detail.json,
      cwd.text, file.path
    FROM event
    JOIN file ON file.id = event.id / ${eventsPerFile}
    JOIN origin ON origin.id = event.origin
    JOIN name AS session ON session.id = origin.session
    LEFT JOIN name AS common ON common.id = origin.common
    LEFT JOIN detail ON detail.event = event.id
    LEFT JOIN name AS cwd ON cwd.id = origin.cwd
    WHERE event.kind = ? AND event.actor = ${human} AND NOT event.flags & ${copy} AND file.standing < 2
      AND common.text ->> 'forkedFrom' IS NULL
    ORDER BY event.id`
  const copied = copiedEvents(db)
  const prompts: TypedPrompt[] = []
  const rows = db.prepare(sql).each([kindToNumber('prompt')])
  for (const [row, owner, session, uuid, offset, bytes, at, json, cwd, path] of rows) {
    if (copied.has(Number(row))) continue
    const event = typeof uuid === 'string' ? uuid : `${session}@${offset}`
    const { text, isCut } = textOf(String(json))
    prompts.push({
      session: String(owner),
      event,
      at: at === null ? null : Number(at),
      text,
      ...(isCut && { whole: { path: String(path), offset: Number(offset), bytes: Number(bytes) } }),
      cwd: typeof cwd === 'string' ? cwd : null,
    })
  }
  return prompts
}

/** The rows of what sessions copied from others, as events are marked where logs are read. */
function copiedEvents(db: Database): Set<number> {
  const copied = new Set<number>()
  const reader = new ProjectionReader(db, 'summary')
  for (const [id] of db.prepare('SELECT id FROM session WHERE copied IS NOT NULL').all()) {
    const { session, fileIds } = indexedSession(db, String(id))
    projectedFiles(reader, session, fileIds, copiedPartOf(db, session.id)).forEach(({ events }, at) => {
      const file = fileIds.get(session.logs[at]?.generation ?? '') ?? 0
      events.forEach((event, place) => {
        if (isInherited(event)) copied.add(file * eventsPerFile + place)
      })
    })
  }
  return copied
}

/** A long one ends in a mark by which equal texts are equal: see `detailOf`. */
function textOf(json: string): { text: string; isCut: boolean } {
  const texts = asArray(asObject(parseJson(json))?.['texts']).flatMap(text => asString(text) ?? [])
  const cut = texts.map(text => text.replace(/…[\w-]{16}$/, '…'))
  return { text: typedIn(cut), isCut: cut.some((text, at) => text !== texts[at]) }
}
