// What humans typed, as the index has it, with its place in its session. Long ones are cut; the whole text is in the log.

import { asArray, asObject, asString, parseJson } from '../../base/json.ts'
import { eventFlags } from '../../model/event.ts'
import { typedIn } from '../../model/typed-text.ts'
import { kindToNumber } from '../ingest/rows.ts'
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

/** In no order. What a session copied from another is not among its own. */
export function typedPrompts(db: Database): TypedPrompt[] {
  const sql = `SELECT event.id, session.text, event.uuid, event.offset, event.bytes, event.at, detail.json, cwd.text, file.path
    FROM event
    JOIN file ON file.id = event.id / ${eventsPerFile}
    JOIN origin ON origin.id = event.origin
    JOIN name AS session ON session.id = origin.session
    LEFT JOIN detail ON detail.event = event.id
    LEFT JOIN name AS cwd ON cwd.id = origin.cwd
    WHERE event.kind = ? AND event.actor = ${human} AND NOT event.flags & ${copy} AND file.standing < 2
    ORDER BY event.id`
  const copied = copiedPrompts(db)
  const prompts: TypedPrompt[] = []
  const rows = db.prepare(sql).each([kindToNumber('prompt')])
  for (const [row, session, uuid, offset, bytes, at, json, cwd, path] of rows) {
    const event = typeof uuid === 'string' ? uuid : `${session}@${offset}`
    if (copied.get(String(session))?.(Number(row), at as number | null, uuid as string | null) === true) continue
    const { text, isCut } = textOf(String(json))
    prompts.push({
      session: String(session),
      event,
      at: at === null ? null : Number(at),
      text,
      ...(isCut && { whole: { path: String(path), offset: Number(offset), bytes: Number(bytes) } }),
      cwd: typeof cwd === 'string' ? cwd : null,
    })
  }
  return prompts
}

type IsCopied = (row: number, at: number | null, uuid: string | null) => boolean

/** By session whether one of its prompts is copied: as events are marked where a log is read. */
function copiedPrompts(db: Database): Map<string, IsCopied> {
  const sql = `SELECT session.id, copied ->> 'until', (SELECT event.id FROM session_log
    JOIN file ON file.generation = session_log.generation
    JOIN event ON event.id >= file.id * ${eventsPerFile} AND event.id < (file.id + 1) * ${eventsPerFile}
    WHERE session_log.session = session.id AND event.uuid = copied ->> 'last' LIMIT 1)
    FROM session WHERE copied IS NOT NULL`
  const fileOf = (row: number) => Math.floor(row / eventsPerFile)
  return new Map(
    db
      .prepare(sql)
      .all()
      .map(([id, until, last]): [string, IsCopied] => {
        const end = typeof until === 'string' ? Date.parse(until) : null
        return [
          String(id),
          (row, at, uuid) => {
            if (typeof last === 'number' && row > last && fileOf(row) === fileOf(last)) return false
            return end === null || at === null ? uuid !== null : at <= end
          },
        ]
      }),
  )
}

/** A long one ends in a mark by which equal texts are equal: see `detailOf`. */
function textOf(json: string): { text: string; isCut: boolean } {
  const texts = asArray(asObject(parseJson(json))?.['texts']).flatMap(text => asString(text) ?? [])
  const cut = texts.map(text => text.replace(/…[\w-]{16}$/, '…'))
  return { text: typedIn(cut), isCut: cut.some((text, at) => text !== texts[at]) }
}
