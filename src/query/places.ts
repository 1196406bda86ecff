// A text where it stands in an event, as one row of the index, and how such rows are read.

import { textFields } from '../analyze/indexed-texts.ts'
import type { Database, SqlValue } from '../indexer/port.ts'

export interface Place {
  text: number
  event: number
  /** Which of the event's texts. */
  n: number
  /** By its place in `textFields`. */
  field: number
  /** Milliseconds since 1970. */
  at: number | null
  /** By its number. */
  kind: number
  /** Bits. */
  flags: number
  origin: number
}

export const inputField = textFields.indexOf('input')
export const outputField = textFields.indexOf('output')

/** `from`: SQL from FROM on, with tables called `te` (text and event) and `e` (event). */
export function readPlaces(db: Database, from: string, values: readonly SqlValue[]): Place[] {
  const columns = 'te.text, te.event, te.n, te.field, e.at, e.kind, e.flags, e.origin'
  return readLists(db, `SELECT json_array(${columns}) AS list ${from}`, values).map(toPlace)
}

/** Lists that a query gives as `list`. All in one piece of JSON: to hand over cell by cell takes far longer. */
export function readLists(db: Database, sql: string, values: readonly SqlValue[]): (number | string | null)[][] {
  const json = db.prepare(`SELECT json_group_array(json(list)) FROM (${sql})`).get(values)?.[0]
  return typeof json === 'string' ? JSON.parse(json) : []
}

/** Single numbers that a query gives as `number`. */
export function readNumbers(db: Database, sql: string, values: readonly SqlValue[]): number[] {
  const json = db.prepare(`SELECT json_group_array(number) FROM (${sql})`).get(values)?.[0]
  return typeof json === 'string' ? JSON.parse(json) : []
}

function toPlace(row: (number | string | null)[]): Place {
  const [text, event, n, field, at, kind, flags, origin] = row as (number | null)[]
  return {
    text: text ?? 0,
    event: event ?? 0,
    n: n ?? 0,
    field: field ?? 0,
    at: at ?? null,
    kind: kind ?? 0,
    flags: flags ?? 0,
    origin: origin ?? 0,
  }
}
