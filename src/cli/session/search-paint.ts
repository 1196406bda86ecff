// How `clew search` prints what it finds: a heading for each session, a line for each hit with the words in colour. Nothing
// from a log reaches the terminal raw, and no line is wider than asked for.

import pc from 'picocolors'
import type { SearchHit } from '../../answers/texts/search.ts'
import type { Clock } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import { spanText } from '../../base/format.ts'
import { columnsOf, cutToColumns } from '../../base/width.ts'
import { matchedLine } from '../../render/terminal/style.ts'
import { cutLine, type Line, own, render } from '../../render/terminal/text.ts'

export interface SearchPaint {
  width: number
  clock: Clock
  shortId: (id: string) => string
  /** Milliseconds since 1970. */
  now: number
}

/** Below this the text gets a line of its own. */
const wideEnough = 76
/** The longest is `compact-summary`. */
export const labelWidth = 15
const anchorWidth = 8
/** The number of the hit, and a blank around it. */
const margin = 4
/** Columns before the text where it is on the line of its hit. */
const headWidth = margin + anchorWidth + labelWidth + 4

/** Columns that are left for the text of a hit. */
export function snippetColumns(width: number): number {
  const before = width >= wideEnough ? headWidth : margin + 2
  return Math.max(20, Math.min(160, width - before))
}

/** `57ba0d1e  Croissants for the fair  bakery · 3d ago`. */
export function headingLine(hit: SearchHit, endedAt: number | null, paint: SearchPaint): string {
  const id = escapeForLine(paint.shortId(hit.session))
  const facts = [escapeForLine(hit.project.name)]
  if (endedAt !== null) facts.push(`${spanText(Math.max(0, paint.now - endedAt))} ago`)
  if (hit.isArchived) facts.push('archived')
  const about = cutToColumns(facts.join(' · '), Math.max(12, Math.floor(paint.width / 3)))
  const space = Math.max(8, paint.width - columnsOf(id) - columnsOf(about) - 4)
  return `${pc.cyan(id)}  ${pc.bold(cutToColumns(escapeForLine(hit.title), space))}  ${pc.dim(about)}`
}

/** What the text is, in a word; with a plus in a subagent. */
function labelOf({ label, kind, thread, session }: SearchHit): string {
  return thread === session || kind === 'history' ? label : `${label}+`
}

/** What `--event` takes: the beginning of a uuid, the place in the file, or another id. */
export function anchorOf({ event }: Pick<SearchHit, 'event'>): string {
  const place = event.lastIndexOf('@')
  if (place >= 0) return event.slice(place)
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(event) ? event.slice(0, anchorWidth) : event
}

/** ` 1  6e2a9c41  answer        1,60 € for a croissant`: its number is what `--open` takes. */
export function hitLines(hit: SearchHit, number: number, paint: SearchPaint): string[] {
  const isWide = paint.width >= wideEnough
  const label = cutToColumns(labelOf(hit), labelWidth)
  const anchor = escapeForLine(anchorOf(hit)) || '-'
  const head = `${pc.dim(String(number).padStart(margin - 2))}  ${pc.dim(anchor.padEnd(anchorWidth))}  ${isWide ? label.padEnd(labelWidth) : label}`
  const space = snippetColumns(paint.width)
  const text = `${render(cutLine(runsOf(hit), space, '…'))}`
  const notes = notesOf(hit)
  const lines = isWide ? [`${head}  ${text}`] : [head, `${' '.repeat(margin + 2)}${text}`]
  const indent = ' '.repeat(isWide ? headWidth : margin + 2)
  return notes === '' ? lines : [...lines, `${indent}${pc.dim(cutToColumns(notes, space))}`]
}

function notesOf({ generation, copies, session, storedIn, isUnreadable }: SearchHit): string {
  const notes: string[] = []
  if (storedIn !== undefined) notes.push(`in ${escapeForLine(shortPath(storedIn))}`)
  if (generation !== undefined)
    notes.push(`only in an earlier content: clew show ${escapeForLine(session)}@${generation}`)
  if (copies !== undefined) notes.push(`${copies === 1 ? 'a copy' : `${copies} copies`} elsewhere`)
  if (isUnreadable) notes.push('its text can no longer be read')
  return notes.join(' · ')
}

/** The folder that says what it is, and the name. */
function shortPath(path: string): string {
  return path.split(/[\\/]/).slice(-2).join('/')
}

function runsOf({ snippet, highlights, isUnreadable }: SearchHit): Line {
  if (isUnreadable) return [{ text: own('(gone)'), style: pc.dim }]
  return matchedLine(snippet, highlights)
}
