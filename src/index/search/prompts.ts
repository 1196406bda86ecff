// What humans typed, as the index has it: every prompt once, with its place in its session. Long ones are cut; the whole text
// is in the log.

import { asArray, asObject, asString, parseJson } from '../../base/json.ts'
import { eventFlags } from '../../model/event.ts'
import { kindToNumber } from '../ingest/rows.ts'
import type { Database } from '../store/port.ts'

export interface TypedPrompt {
  session: string
  /** The event's id. */
  event: string
  /** Milliseconds since 1970. */
  at: number | null
  text: string
  cwd: string | null
}

const copy = 1 << eventFlags.indexOf('copy')
const human = 0

/** In no order. A prompt that forks copied is given once, where it was typed first; one whose text is gone is left out. */
export function typedPrompts(db: Database): TypedPrompt[] {
  const sql = `SELECT session.text, event.uuid, event.offset, event.at, detail.json, cwd.text FROM event
    JOIN detail ON detail.event = event.id
    JOIN origin ON origin.id = event.origin
    JOIN name AS session ON session.id = origin.session
    LEFT JOIN name AS cwd ON cwd.id = origin.cwd
    WHERE event.kind = ? AND event.actor = ${human} AND NOT event.flags & ${copy} ORDER BY event.id`
  const copied = copiedTimes(db)
  const seen = new Set<string>()
  const prompts: TypedPrompt[] = []
  for (const [session, uuid, offset, at, json, cwd] of db.prepare(sql).each([kindToNumber('prompt')])) {
    const event = typeof uuid === 'string' ? uuid : `${session}@${offset}`
    if (typeof at === 'number' && at <= (copied.get(String(session)) ?? Number.NEGATIVE_INFINITY)) continue
    if (seen.has(event)) continue
    seen.add(event)
    const text = textOf(String(json))
    if (text === '') continue
    prompts.push({
      session: String(session),
      event,
      at: at === null ? null : Number(at),
      text,
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
function textOf(json: string): string {
  const texts = asArray(asObject(parseJson(json))?.['texts']).flatMap(text => asString(text) ?? [])
  return texts
    .join('\n')
    .replace(/…[\w-]{16}$/, '…')
    .trim()
}
