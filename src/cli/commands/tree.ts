// `clew tree`: a session's shape, drawn with lines. What there is to draw is decided in src/answers/session/tree.ts.

import pc from 'picocolors'
import { treeOf } from '../../answers/session/tree.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countText, shortCount } from '../../base/format.ts'
import { columnsOf, cutToColumns } from '../../base/width.ts'
import { isPlainTerminal } from '../../render/terminal/charts.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import type { Tree } from '../../schema/contract-shapes.ts'
import type { ShapeRow } from '../../session/shape.ts'
import { countOf, durationText } from '../../view/words.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { orFault } from '../session/stream.ts'
import { isOutputClosed, printJson, printLine, say } from '../terminal/output.ts'

/** A tree of more lines than this is folded. */
const mostRows = 195

export function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  return orFault(async () => {
    const { tree, unread } = await treeOf(globals.clew, args[0], options['full'] === true ? undefined : mostRows)
    if (unread !== undefined && !globals.quiet) say(`clew: ${unread}`)
    if (globals.json) await printJson(tree)
    else await printTree(tree)
    return 0
  })
}

async function printTree({ session, title, rows, folded }: Tree): Promise<void> {
  const columns = outputWidth()
  await printLine(pc.bold(cutToColumns(escapeForLine(title.replace(/\s+/g, ' ')), columns)))
  await printLine(pc.dim(cutToColumns(escapeForLine(session), columns)))
  for (const line of treeLines(rows, columns)) {
    if (isOutputClosed()) break
    await printLine(line)
  }
  const note = foldedNote(folded)
  if (note !== '') await printLine(pc.dim(cutToColumns(note, columns)))
}

function foldedNote({ subagents, calls, turns, rows }: Tree['folded']): string {
  if (rows === 0) return ''
  const parts = [
    turns > 0 ? `${countText(turns)} turns` : '',
    calls > 0 ? `the calls of ${countText(calls)} turns` : '',
    subagents > 0 ? `${countText(subagents)} subagents` : '',
  ]
  return `folded (use --full): ${parts.filter(part => part !== '').join(', ') || `${countText(rows)} lines`}`
}

interface Pens {
  branch: string
  last: string
  trunk: string
  empty: string
  border: string
  times: string
  arrow: string
  dot: string
}

function pensFor(columns: number): Pens {
  const isPlain = isPlainTerminal()
  const isNarrow = columns < 70
  const plain = { border: '=', times: 'x', arrow: '->', dot: '-' }
  const drawn = { border: '═', times: '×', arrow: '→', dot: '·' }
  if (isPlain && isNarrow) return { branch: '|-', last: '`-', trunk: '| ', empty: '  ', ...plain }
  if (isPlain) return { branch: '|- ', last: '`- ', trunk: '|  ', empty: '   ', ...plain }
  if (isNarrow) return { branch: '├╴', last: '└╴', trunk: '│ ', empty: '  ', ...drawn }
  return { branch: '├─ ', last: '└─ ', trunk: '│  ', empty: '   ', ...drawn }
}

function treeLines(rows: readonly ShapeRow[], columns: number): string[] {
  const pens = pensFor(columns)
  // Half of the line is left for words; what is deeper is drawn at the last level and says how deep it is.
  const deepest = Math.max(1, Math.floor((columns * 0.45) / pens.trunk.length) - 1)
  const levels = rows.map(row => Math.min(row.depth, deepest))
  const prefixes = prefixesOf(levels, pens)
  return rows.map((row, place) => {
    const prefix = prefixes[place] ?? ''
    const hidden = row.depth > deepest ? `[${row.depth}] ` : ''
    return pc.dim(prefix) + rowText(row, columns - columnsOf(prefix) - hidden.length, pens, hidden)
  })
}

/** From the last row up: at every level it is known whether a further row follows there. */
function prefixesOf(levels: readonly number[], pens: Pens): string[] {
  const prefixes = new Array<string>(levels.length)
  const follows: boolean[] = []
  for (let place = levels.length - 1; place >= 0; place--) {
    const level = levels[place] ?? 0
    let prefix = ''
    for (let at = 0; at < level; at++) prefix += follows[at] ? pens.trunk : pens.empty
    prefixes[place] = prefix + (follows[level] ? pens.branch : pens.last)
    follows.length = level
    for (let at = 0; at < level; at++) follows[at] ??= false
    follows[level] = true
  }
  return prefixes
}

function rowText(row: ShapeRow, space: number, pens: Pens, hidden: string): string {
  const text = escapeForLine(row.text)
  switch (row.kind) {
    case 'turn':
      return hidden + turnText(row, text, space, pens)
    case 'calls':
      return hidden + pc.dim(cutToColumns(toolsText(row, pens), space))
    case 'subagent':
      return hidden + withFacts(pc.magenta, `subagent ${text}`.trimEnd(), factsOf(row, row.status), space, pens)
    case 'compaction':
      return hidden + pc.yellow(borderText(row, text, space, pens))
    case 'branch':
      return hidden + pc.blue(cutToColumns(`earlier branch${text === '' ? '' : `: ${text}`}`, space))
    case 'lineage':
      return hidden + pc.cyan(cutToColumns(lineageText(row, text), space))
    case 'folded':
      return hidden + pc.dim(cutToColumns(`… ${text}${joined(factsOf(row), pens)}`, space))
    case 'start':
      return hidden + withFacts(pc.dim, text, factsOf(row), space, pens)
    case 'note':
      return (
        hidden + pc.yellow(cutToColumns(row.times === undefined ? text : `${text} ${pens.times}${row.times}`, space))
      )
  }
}

function turnText(row: ShapeRow, text: string, space: number, pens: Pens): string {
  const mark = row.isActive === undefined ? '' : row.isActive ? ' [active]' : ' [end]'
  const facts = factsOf(row)
  const line = withFacts(words => words, `${countText((row.turn ?? 0) + 1)} ${text}`, facts, space - mark.length, pens)
  return `${line}${row.isActive ? pc.green(mark) : pc.dim(mark)}`
}

/** Words cut so that the facts still fit; where there is no space for both, facts from the end give way. */
function withFacts(
  paint: (text: string) => string,
  words: string,
  facts: readonly string[],
  space: number,
  pens: Pens,
): string {
  for (let kept = facts.length; kept >= 0; kept--) {
    const tail = kept === 0 ? '' : `  ${facts.slice(0, kept).join(` ${pens.dot} `)}`
    const left = space - columnsOf(tail)
    if (left >= Math.min(columnsOf(words), Math.floor(space * 0.55)) || kept === 0)
      return paint(cutToColumns(words, Math.max(1, left))) + pc.dim(tail)
  }
  return ''
}

function factsOf(row: ShapeRow, status?: ShapeRow['status']): string[] {
  const facts: string[] = []
  const { calls = 0, failed = 0, subagents = 0 } = row
  if (row.inherited === true) facts.push('inherited')
  if (status !== undefined && status !== 'done') facts.push(status === 'missing' ? 'no end in the log' : status)
  if (calls > 0) facts.push(countOf(calls, 'call'))
  if (failed > 0) facts.push(`${countText(failed)} failed`)
  if (row.durationMs !== undefined && row.durationMs > 0) facts.push(durationText(row.durationMs))
  if (subagents > 0 && row.kind !== 'subagent') facts.push(countOf(subagents, 'agent'))
  return facts
}

function joined(facts: readonly string[], pens: Pens): string {
  return facts.length === 0 ? '' : ` ${pens.dot} ${facts.join(` ${pens.dot} `)}`
}

function toolsText(row: ShapeRow, pens: Pens): string {
  return (row.tools ?? [])
    .map(({ name, calls, failed }) => {
      const times = calls === 1 ? '' : ` ${pens.times}${countText(calls)}`
      return `${escapeForLine(name)}${times}${failed > 0 ? ` (${countText(failed)} failed)` : ''}`
    })
    .join(', ')
}

/** A border across the line: `══ compaction (auto) 154.2k → 12.1k tokens ═══`. */
function borderText(row: ShapeRow, text: string, space: number, pens: Pens): string {
  const sizes = [row.preTokens, row.postTokens].filter(tokens => tokens !== undefined).map(shortCount)
  const size = sizes.length === 0 ? '' : ` ${sizes.join(` ${pens.arrow} `)} tokens`
  const words = cutToColumns(`compaction${text === '' ? '' : ` (${text})`}${size}`, Math.max(1, space - 6))
  const rest = Math.max(2, Math.min(space, 72) - columnsOf(words) - 4)
  return `${pens.border.repeat(2)} ${words} ${pens.border.repeat(rest)}`
}

const relations = {
  'resumed-from': ['resumed from', 'resumed as'],
  'forked-from': ['forked from', 'forked to'],
  'continued-in': ['continued in', 'continues'],
  'copied-from': ['copied from', 'copied to'],
} as const

function lineageText(row: ShapeRow, text: string): string {
  const words = relations[row.relation ?? 'resumed-from'][row.isDescendant ? 1 : 0]
  return `${words} ${escapeForLine(row.id ?? '')}${text === '' ? '' : ` (${text})`}`
}
