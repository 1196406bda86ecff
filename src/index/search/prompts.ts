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
  const sql = `SELECT session.text, event.uuid, event.offset, event.bytes, event.at, detail.json, cwd.text, file.path
    FROM event
    JOIN file ON file.id = event.id / ${eventsPerFile}
    JOIN origin ON origin.id = event.origin
    JOIN name AS session ON session.id = origin.session
    LEFT JOIN detail ON detail.event = event.id
    LEFT JOIN name AS cwd ON cwd.id = origin.cwd
    WHERE event.kind = ? AND event.actor = ${human} AND NOT event.flags & ${copy} AND file.standing < 2
    ORDER BY event.id`
  const copied = copiedTimes(db)
  const prompts: TypedPrompt[] = []
  const rows = db.prepare(sql).each([kindToNumber('prompt')])
  for (const [session, uuid, offset, bytes, at, json, cwd, path] of rows) {
    const event = typeof uuid === 'string' ? uuid : `${session}@${offset}`
    if (typeof at === 'number' && at <= (copied.get(String(session)) ?? Number.NEGATIVE_INFINITY)) continue
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

/** By session the time of the last record that it copied. */
function copiedTimes(db: Database): Map<string, number> {
  const rows = db.prepare("SELECT id, copied ->> 'until' FROM session WHERE copied ->> 'until' IS NOT NULL").all()
  return new Map(rows.map(([id, until]) => [String(id), Date.parse(String(until))]))
}

/** A long one ends in a mark by which equal texts are equal: see `detailOf`. */
function textOf(json: string): { text: string; isCut: boolean } {
  const texts = asArray(asObject(parseJson(json))?.['texts']).flatMap(text => asString(text) ?? [])
  const cut = texts.map(text => text.replace(/…[\w-]{16}$/, '…'))
  return { text: typedIn(cut), isCut: cut.some((text, at) => text !== texts[at]) }
}
