// Facts as one line for a terminal: each part worded, escaped, cut to the width and coloured. It counts nothing.

import pc from 'picocolors'
import { modelName, projectName } from '../../answers/sessions/names.ts'
import type { Cost, StatusFacts } from '../../answers/statusline/count.ts'
import { fillTemplate, type StatusPart, type StatusSettings } from '../../answers/statusline/settings.ts'
import { escapeForLine } from '../../base/escape.ts'
import { moneyText, shortCount, spanText } from '../../base/format.ts'
import { columnsOf, cutToColumns } from '../../base/width.ts'

type Colour = 'cyan' | 'green' | 'yellow' | 'red' | 'plain'

interface Piece {
  text: string
  colour: Colour
}

/** A name from outside is cut here, so that the numbers behind it keep their place. */
const longestName = 40
/** From these shares on, a limit is near, and very near. */
const nearPercent = 70
const endPercent = 90
const between = ' · '

/** One line without its end. `columns`: what it has to fit into; Infinity without a limit. */
export function statusLine(facts: StatusFacts, settings: StatusSettings, columns: number): string {
  const { layout } = settings
  const pieces =
    'parts' in layout
      ? listed(facts, layout.parts)
      : [{ text: filled(facts, layout.template), colour: 'plain' as const }]
  return painted(pieces, columns, settings.hasColours)
}

function listed(facts: StatusFacts, parts: readonly StatusPart[]): Piece[] {
  const pieces: Piece[] = []
  for (const part of parts) {
    const text = partText(part, facts)
    if (text !== null) pieces.push({ text, colour: colourOf(part, facts) })
  }
  return pieces.length > 0 ? pieces : [{ text: 'clew: nothing to say yet', colour: 'plain' }]
}

/** A template's own words come from a config file that people share: they are no safer than a log. */
function filled(facts: StatusFacts, template: string): string {
  return escapeForLine(fillTemplate(template, part => partText(part, facts, true)))
}

/** Cut while the text is still plain, since colours take no columns. */
function painted(pieces: readonly Piece[], columns: number, hasColours: boolean): string {
  const colours = pc.createColors(hasColours)
  let left = columns
  let line = ''
  for (const [at, { text, colour }] of pieces.entries()) {
    const gap = at === 0 ? '' : between
    const cut = cutToColumns(text, Math.max(0, left - gap.length))
    // Not even the beginning of a part fits.
    if (at > 0 && left <= gap.length + 1) break
    line += `${gap === '' ? '' : colours.dim(gap)}${colour === 'plain' ? cut : colours[colour](cut)}`
    left -= gap.length + columnsOf(cut)
    if (cut !== text) break
  }
  return line
}

/** What a part says; null where nothing is known. `isBare`: without the word that names it, for templates. */
function partText(part: StatusPart, facts: StatusFacts, isBare = false): string | null {
  const named = (text: string | null, word: string) => (text === null || isBare ? text : `${text} ${word}`)
  switch (part) {
    case 'model':
      return facts.model === null
        ? null
        : nameText(/^claude-|[./]claude-/.test(facts.model) ? modelName(facts.model) : facts.model)
    case 'session':
      return named(costText(facts.session), facts.session?.from === 'ours' ? 'session (counted)' : 'session')
    case 'today':
      return named(costText(facts.today), 'today')
    case 'block':
      return blockText(facts, isBare)
    case 'burn':
      return burnText(facts)
    case 'context':
      return named(contextText(facts), 'context')
    case 'limits':
      return limitsText(facts)
    case 'folder':
      return facts.folder === null ? null : nameText(projectName({ cwd: facts.folder, slug: '' }))
    case 'lines':
      return facts.lines === null ? null : `+${shortCount(facts.lines.added)} -${shortCount(facts.lines.removed)}`
  }
}

function nameText(name: string): string {
  return cutToColumns(escapeForLine(name), longestName)
}

function costText(cost: Cost | null): string | null {
  return cost === null ? null : `${cost.isLeast ? '≥' : ''}${moneyText(cost.usd)}`
}

function blockText({ block, nowMs }: StatusFacts, isBare: boolean): string | null {
  if (block === null) return null
  const left = `${spanText(Math.max(0, block.endMs - nowMs))} left`
  return isBare ? `${costText(block)} (${left})` : `${costText(block)} block (${left})`
}

function burnText({ block }: StatusFacts): string | null {
  if (block === null || block.usdPerHour === null) return null
  return `${costText({ usd: block.usdPerHour, isLeast: block.isLeast })}/h`
}

function contextText({ context }: StatusFacts): string | null {
  if (context === null) return null
  const { tokens } = context
  const percent = percentOf(context)
  if (tokens === null) return percent === null ? null : percentText(percent)
  return percent === null ? shortCount(tokens) : `${shortCount(tokens)} (${percentText(percent)})`
}

function percentOf(context: NonNullable<StatusFacts['context']>): number | null {
  if (context.percent !== null) return context.percent
  return context.tokens === null || context.size === null ? null : (100 * context.tokens) / context.size
}

function percentText(percent: number): string {
  return `${Math.round(Math.min(percent, 999))}%`
}

function limitsText({ fiveHours, sevenDays, nowMs }: StatusFacts): string | null {
  const limits = [
    { word: '5h', limit: fiveHours },
    { word: '7d', limit: sevenDays },
  ]
  const texts = limits.flatMap(({ word, limit }) => {
    if (limit === null) return []
    const left = limit.resetsAt === undefined ? 0 : limit.resetsAt - nowMs
    return [`${word} ${percentText(limit.percent)}${left > 0 ? ` (${spanText(left)})` : ''}`]
  })
  return texts.length === 0 ? null : texts.join(', ')
}

function colourOf(part: StatusPart, facts: StatusFacts): Colour {
  if (part === 'model') return 'cyan'
  if (part === 'context') return shareColour(facts.context === null ? null : percentOf(facts.context))
  if (part === 'limits') return shareColour(Math.max(facts.fiveHours?.percent ?? 0, facts.sevenDays?.percent ?? 0))
  return 'plain'
}

function shareColour(percent: number | null): Colour {
  if (percent === null) return 'plain'
  if (percent >= endPercent) return 'red'
  return percent >= nearPercent ? 'yellow' : 'green'
}
