// A diff with line numbers, coloured by sign. Signs stand in the text too, so that it reads without colours.

import type { DiffHunk, DiffPart } from '../../view/view.ts'
import { cutNote, fitted, type Limits, noLimit } from './paint-limits.ts'
import type { Paint } from './paint-style.ts'
import { type Line, own } from './paint-text.ts'

/** Diffs say more per line than output: they get more lines. */
const linesPerLimit = 3

export function paintDiff(part: DiffPart, width: number, limits: Limits, paint: Paint): Line[] {
  const most = paint.isFull ? noLimit : linesPerLimit * limits.head
  const total = part.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const gutter = String(part.hunks.reduce((last, hunk) => Math.max(last, lastNumber(hunk)), 1)).length
  const out: Line[] = []
  let shown = 0
  for (const [index, hunk] of part.hunks.entries()) {
    if (shown >= most) break
    if (index > 0) out.push([{ text: own(`${' '.repeat(gutter)} ${paint.glyphs.ellipsis}`), style: paint.colors.dim }])
    for (const line of hunkLines(hunk, most - shown, gutter, width, paint)) out.push(line)
    shown += Math.min(hunk.lines.length, most - shown)
  }
  if (total > shown) out.push(cutNote(total - shown, 'line', paint))
  if (part.isComputed && total > 0)
    out.push([{ text: own('(worked out from old and new text)'), style: paint.colors.dim }])
  return out
}

function lastNumber(hunk: DiffHunk): number {
  return Math.max(hunk.oldStart, hunk.newStart) + hunk.lines.length
}

function hunkLines(hunk: DiffHunk, most: number, gutter: number, width: number, paint: Paint): Line[] {
  const { colors } = paint
  let oldLine = hunk.oldStart
  let newLine = hunk.newStart
  const out: Line[] = []
  for (const { sign, text } of hunk.lines.slice(0, most)) {
    const number = sign === '-' ? oldLine : newLine
    if (sign !== '+') oldLine++
    if (sign !== '-') newLine++
    const style = sign === '+' ? colors.green : sign === '-' ? colors.red : undefined
    fitted(text, width - gutter - 3, style, paint).forEach((runs, piece) => {
      const lead = (piece === 0 ? String(number) : '').padStart(gutter)
      out.push([
        { text: own(`${lead} `), style: colors.dim },
        { text: own(`${piece === 0 ? sign : ' '} `), ...(style && { style }) },
        ...runs,
      ])
    })
  }
  return out
}
