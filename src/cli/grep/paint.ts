// How `clew grep` prints what it finds: a heading for each session, a line for each match, the match in colour. Nothing from
// a log reaches the terminal raw, and no line is wider than asked for.

import pc from 'picocolors'
import { escapeForLine } from '../../base/escape.ts'
import { columnsOf, cutToColumns } from '../../base/width.ts'
import type { GrepHit } from '../../grep/events.ts'
import { matchedLine } from '../../render/terminal/style.ts'
import { cutLine, type Line, lineWidth, own, render } from '../../render/terminal/text.ts'
import type { ListRow } from '../list/list-row.ts'
import { projectName } from '../list/list-text.ts'
import type { Clock } from '../list/list-times.ts'

export interface GrepPaint {
  width: number
  clock: Clock
  shortId: (id: string) => string
}

/** Below this the text gets a line of its own. */
const wideEnough = 76
const kindWidth = 12
const timeWidth = 16

/** `Croissants for the fair  bakery`. */
export function headingLine(row: ListRow, { width }: GrepPaint): string {
  return titleOf(row, width)
}

function titleOf(row: ListRow, room: number): string {
  const project = escapeForLine(projectName({ cwd: row.cwd, slug: row.session.slug }))
  const cutProject = cutToColumns(project, Math.max(8, Math.floor(room / 4)))
  const left = room - columnsOf(cutProject) - 2
  return `${pc.bold(cutToColumns(escapeForLine(row.title), left))}  ${pc.dim(cutProject)}`
}

/** `57ba0d1e  2026-05-12 18:40  Croissants for the fair  bakery`, with a number before it where one is asked for. */
export function sessionLine(row: ListRow, at: number, count: number | undefined, paint: GrepPaint): string {
  const id = paint.shortId(row.session.id)
  const number = count === undefined ? '' : `${String(count).padStart(6)}  `
  const head = `${number}${escapeForLine(id)}  ${paint.clock(at)}`
  const room = Math.max(20, paint.width - columnsOf(head) - 2)
  return `${number}${pc.cyan(escapeForLine(id))}  ${pc.dim(paint.clock(at))}  ${titleOf(row, room)}`
}

/** `57ba0d1e  2026-05-12 18:40  answer  …the line…` with its neighbours above and below. */
export function hitLines(hit: GrepHit, row: ListRow, paint: GrepPaint): string[] {
  // `clew show` takes it in this form.
  const generation = hit.generation === undefined ? '' : `@${hit.generation}`
  const id = `${escapeForLine(paint.shortId(row.session.id))}${generation}`
  const time = paint.clock(hit.at).padEnd(timeWidth)
  const kind = hit.kind.padEnd(kindWidth)
  const isWide = paint.width >= wideEnough
  const indent = isWide ? columnsOf(id) + timeWidth + kind.length + 6 : 2
  const room = Math.max(16, paint.width - indent)
  const head = `${pc.cyan(id)}  ${pc.dim(time)}  ${kind}`
  // Indentation tells something only beside other lines.
  const isAlone = hit.before.length + hit.after.length === 0
  const text = render(
    aroundMatch(
      isAlone ? withoutIndent(matchedLine(hit.snippet, hit.spans)) : matchedLine(hit.snippet, hit.spans),
      room,
    ),
  )
  const near = (lines: readonly string[]) =>
    lines.map(line => `${' '.repeat(indent)}${pc.dim(cutToColumns(escapeForLine(line), room))}`)
  const shown = isWide ? [`${head}  ${text}`] : [head.trimEnd(), `  ${text}`]
  if (!isWide) return [shown[0] as string, ...near(hit.before), shown[1] as string, ...near(hit.after)]
  return [...near(hit.before), ...shown, ...near(hit.after)]
}

function withoutIndent([first, ...rest]: Line): Line {
  if (first === undefined || first.style !== undefined) return first === undefined ? [] : [first, ...rest]
  return [{ text: own(first.text.trimStart()) }, ...rest]
}

/** Cuts a line to a width so that its first match stays in sight. */
function aroundMatch(line: Line, room: number): Line {
  const first = line[0]
  const match = line.find(run => run.style !== undefined)
  if (first === undefined || match === undefined || first === match) return cutLine(line, room, '…')
  if (lineWidth(line) <= room) return line
  const least = Math.min(lineWidth([match]), room - 4)
  const allowed = Math.max(2, Math.min(lineWidth([first]), Math.max(Math.floor(room / 3), room - least - 20)))
  if (lineWidth([first]) <= allowed) return cutLine(line, room, '…')
  return cutLine([{ text: own(`…${lastColumns(first.text, allowed - 1)}`) }, ...line.slice(1)], room, '…')
}

/** The end of a text that is safe already. */
function lastColumns(text: string, columns: number): string {
  let used = 0
  let kept = ''
  for (const character of [...text].reverse()) {
    used += columnsOf(character)
    if (used > columns) break
    kept = character + kept
  }
  return kept
}
