// A text where it stands in an event, as one row of the index, and how such rows are read.

import { textFields } from '../../session/indexed-texts.ts'
import type { Database, SqlValue } from '../store/port.ts'

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
export const titleField = textFields.indexOf('title')

const placeColumns = ['te.text', 'te.event', 'te.n', 'te.field', 'e.at', 'e.kind', 'e.flags', 'e.origin']

/** `from`: SQL from FROM on, with tables called `te` (text and event) and `e` (event). */
export function readPlaces(db: Database, from: string, values: readonly SqlValue[]): Place[] {
  const columns = readColumns(db, placeColumns, from, values) as (number | null)[][]
  const [texts = [], events = [], ns = [], fields = [], ats = [], kinds = [], flags = [], origins = []] = columns
  return texts.map((text, at) => ({
    text: text ?? 0,
    event: events[at] ?? 0,
    n: ns[at] ?? 0,
    field: fields[at] ?? 0,
    at: ats[at] ?? null,
    kind: kinds[at] ?? 0,
    flags: flags[at] ?? 0,
    origin: origins[at] ?? 0,
  }))
}

/** A number or text of a row. */
export type Cell = number | string | null

/** Each column as one list. All of it in few pieces of JSON: to hand over cell by cell takes far longer. */
export function readColumns(
  db: Database,
  columns: readonly string[],
  from: string,
  values: readonly SqlValue[],
): Cell[][] {
  const lists = columns.map(column => `json_group_array(${column})`).join(', ')
  const row = db.prepare(`SELECT ${lists} ${from}`).get(values)
  return columns.map((_, at) => JSON.parse(String(row?.[at] ?? '[]')))
}

/** The same, row by row. */
export function readLists(
  db: Database,
  columns: readonly string[],
  from: string,
  values: readonly SqlValue[],
): Cell[][] {
  const [first = [], ...others] = readColumns(db, columns, from, values)
  return first.map((cell, at) => [cell, ...others.map(column => column[at] ?? null)])
}

/** Single numbers that a query gives as `number`. */
export function readNumbers(db: Database, sql: string, values: readonly SqlValue[]): number[] {
  const json = db.prepare(`SELECT json_group_array(number) FROM (${sql})`).get(values)?.[0]
  return typeof json === 'string' ? JSON.parse(json) : []
}

/** The id of the latest text: about as many there are. To count them means to go through all. */
export function newestText(db: Database): number {
  return Number(db.prepare('SELECT max(id) FROM text').get()?.[0] ?? 0)
}
