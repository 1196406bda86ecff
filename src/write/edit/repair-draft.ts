// The file while it is repaired: its records with their texts, and a list of what was changed. A record is changed field by
// field, so that the rest of its bytes stay.

import { isObject, type JsonObject, jsonText, parseJson } from '../../base/json.ts'
import { namesPrivateType } from '../../model/event.ts'
import type { Dialect } from '../../model/record.ts'
import { setField } from './json-text.ts'

/** One thing that a repair changed, for people. */
export interface RepairChange {
  /** Of the damaged file, from 1; 0 for what concerns all of it. */
  line: number
  /** What was wrong, in one word. */
  kind: ChangeKind
  what: string
  before?: string
  after?: string
}

export type ChangeKind =
  | 'encoding' // UTF-16, byte order marks, NULs, bytes that are no UTF-8
  | 'line' // line ends, blank lines, several records on a line, a record on several lines
  | 'order' // of the records in the file
  | 'torn' // cut records, as far as they can be read
  | 'set-aside' // what cannot be placed
  | 'copy' // the same record again
  | 'uuid'
  | 'session'
  | 'time'
  | 'role'
  | 'text' // halves of surrogate pairs
  | 'sidechain'
  | 'parent'
  | 'branch' // branches that are none
  | 'call'
  | 'result'
  | 'compaction'
  | 'leaf'

/** A record that will be a line of the repaired file. */
export interface Entry {
  /** Of the damaged file. */
  readonly line: number
  text: string
  value: JsonObject
  /** Read from torn bytes: what identifies it has to be found first. */
  isTorn?: boolean
}

export type FieldChange = readonly [path: string, value: unknown]

export class RepairDraft {
  entries: Entry[] = []
  readonly changes: RepairChange[] = []
  /** How many records the damaged file has of each dialect. */
  readonly dialects = new Map<Dialect, number>()
  /** The session that the file is of. */
  session: string | undefined
  /** It, and those that are part of the same conversation. */
  kin: ReadonlySet<string> = new Set()
  /** How many records are softly deleted. */
  setAside = 0
  private readonly left = new Set<Entry>()
  private readonly inserted = new Map<Entry, Entry[]>()

  /** Whether it is of another conversation that got into the file. */
  isForeign(session: string | undefined): boolean {
    return session !== undefined && this.kin.size > 0 && !this.kin.has(session)
  }

  note(change: RepairChange): void {
    this.changes.push(change)
  }

  /** Sets fields of a record; `what` says why. Paths are names with dots between them. */
  change(entry: Entry, kind: ChangeKind, what: string, fields: readonly FieldChange[]): void {
    const before: string[] = []
    const after: string[] = []
    for (const [path, value] of fields) {
      before.push(fieldText(path, valueAt(entry.value, path)))
      after.push(fieldText(path, value))
    }
    this.set(entry, fields)
    this.note({ line: entry.line, kind, what, before: before.join(', '), after: after.join(', ') })
  }

  /** Without a word: where one note stands for many records. */
  set(entry: Entry, fields: readonly FieldChange[]): void {
    for (const [path, value] of fields) entry.text = setField(entry.text, path.split('.'), value)
    entry.value = objectOf(entry.text) ?? entry.value
  }

  /** A text that is put in place of another one. */
  rewrite(entry: Entry, kind: ChangeKind, what: string, text: string): void {
    this.note({ line: entry.line, kind, what, ...excerpts(entry.text, text) })
    entry.text = text
    entry.value = objectOf(text) ?? entry.value
  }

  /** They are put in by `sweep`; of several behind one entry the last comes first. */
  insertBehind(entry: Entry, kind: ChangeKind, what: string, value: JsonObject): void {
    const made: Entry = { line: entry.line, text: jsonText(value), value }
    this.inserted.set(entry, [made, ...(this.inserted.get(entry) ?? [])])
    this.note({ line: entry.line, kind, what, after: excerpt(made.text) })
  }

  /** They are taken out by `sweep`. */
  leaveOut(entry: Entry, kind: ChangeKind, what: string): void {
    this.left.add(entry)
    this.note({ line: entry.line, kind, what, before: excerpt(entry.text) })
  }

  sweep(): void {
    const { left, inserted } = this
    if (left.size > 0) this.entries = this.entries.filter(entry => !left.has(entry))
    if (inserted.size > 0) this.entries = this.entries.flatMap(entry => [entry, ...(inserted.get(entry) ?? [])])
    left.clear()
    inserted.clear()
  }
}

export function objectOf(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

function valueAt(value: JsonObject, path: string): unknown {
  let at: unknown = value
  for (const key of path.split('.')) at = isObject(at) ? at[key] : undefined
  return at
}

function fieldText(path: string, value: unknown): string {
  return value === undefined ? `no ${path}` : `${path}: ${excerpt(jsonText(value))}`
}

const longest = 240

/** In place of a text that may name an account. */
const hidden = '(not shown: the owner of the session)'

/** Enough of a text to know it again. */
export function excerpt(text: string): string {
  if (namesPrivateType(text)) return hidden
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** What of the same beginning is shown before the first difference. */
const context = 40

/** Of two texts what differs: a long beginning that both have is cut. */
export function excerpts(before: string, after: string): { before: string; after: string } {
  let same = 0
  while (same < before.length && before[same] === after[same]) same++
  if (namesPrivateType(before + after)) return { before: hidden, after: hidden }
  const from = same > 2 * context ? same - context : 0
  const cut = (text: string): string => excerpt(from === 0 ? text : `…${text.slice(from)}`)
  return { before: cut(before), after: cut(after) }
}
