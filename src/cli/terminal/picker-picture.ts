// What the picker shows for a state of choosing, as lines of a given width. It reads no keys and writes to no terminal.

import pc from 'picocolors'
import type { Glyphs } from './paint-glyphs.ts'
import { cutLine, type Line, lineWidth, own, render, safeLine } from './paint-text.ts'
import type { Pick, PickRow } from './picker-keys.ts'

export interface PictureOptions {
  width: number
  /** Rows of the list. */
  height: number
  glyphs: Glyphs
  what: string
}

/** Below this width a row has no room for its place. */
const placeFrom = 70

export function picture(rows: readonly PickRow[], pick: Pick, options: PictureOptions): string[] {
  const { width, height, glyphs, what } = options
  const fits = (line: Line) => render(cutLine(line, width - 1, glyphs.ellipsis))
  const count = `${pick.found.length} of ${rows.length}`
  const asked: Line = [
    { text: own(`${what}: `), style: pc.bold },
    { text: safeLine(pick.filter) },
    { text: own('_'), style: pc.dim },
    { text: own(`  ${count}`), style: pc.dim },
  ]
  const shown = pick.found.slice(pick.top, pick.top + height)
  const list = shown.map((index, line) => fits(rowLine(rows[index], pick.top + line === pick.at, options)))
  const none = rows.length === 0 ? `no ${what}s` : `no ${what} holds that; Backspace goes back`
  if (shown.length === 0) list.push(fits([{ text: own(`  ${none}`), style: pc.dim }]))
  const hint = `type to filter ${glyphs.dot} arrows ${glyphs.dot} Enter ${glyphs.dot} Esc`
  return [fits(asked), ...list, fits([{ text: own(hint), style: pc.dim }])]
}

function rowLine(row: PickRow | undefined, isChosen: boolean, { width, glyphs }: PictureOptions): Line {
  if (!row) return []
  const mark = own(isChosen ? `${glyphs.picked} ` : '  ')
  const when = own(`${safeLine(row.when)}  `)
  const place =
    width >= placeFrom && row.place !== '' ? cutLine([{ text: safeLine(row.place) }], 24, glyphs.ellipsis) : []
  const room = width - 1 - lineWidth([{ text: mark }, { text: when }]) - (place.length > 0 ? lineWidth(place) + 2 : 0)
  const title = cutLine([{ text: safeLine(row.title) }], room, glyphs.ellipsis)
  const gap = own(' '.repeat(Math.max(0, room - lineWidth(title)) + 2))
  const runs: Line = [{ text: mark }, { text: when, style: pc.dim }, ...title]
  if (place.length > 0) runs.push({ text: gap }, ...place.map(run => ({ ...run, style: pc.dim })))
  return isChosen ? runs.map(run => ({ text: run.text, style: text => pc.bold(pc.cyan(text)) })) : runs
}
