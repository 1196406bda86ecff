// A text where it stands in an event, as one row of the index, and the columns that make it.

import { textFields } from '../analyze/indexed-texts.ts'
import type { Row } from '../indexer/port.ts'

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

/** Of tables called `te` and `e`. */
export const placeColumns = 'te.text, te.event, te.n, te.field, e.at, e.kind, e.flags, e.origin'

export function toPlace(row: Row): Place {
  const [text, event, n, field, at, kind, flags, origin] = row as (number | null)[]
  return {
    text: Number(text),
    event: Number(event),
    n: Number(n),
    field: Number(field),
    at: at ?? null,
    kind: Number(kind),
    flags: Number(flags),
    origin: Number(origin),
  }
}

export const inputField = textFields.indexOf('input')
export const outputField = textFields.indexOf('output')
