// Text as a machine wrote it: its beginning and end, the rest on request. Terminal colours are styles; other control
// characters are shown.

import { createContext, useContext, useMemo, useState } from 'react'
import { countOf, countText, sizeText } from '../../src/base/format.ts'
import { visibleText } from '../../src/render/safe-text.ts'
import { foldText } from '../../src/view/parts.ts'
import type { TextPart } from '../../src/view/view.ts'
import { keyed } from './facts.tsx'

const head = 10
const tail = 4
/** How many lines, and characters, one click adds. */
const step = 1000
const longest = 8000
/** How much is shown behind what was searched for. */
const linesAfter = 6

export interface TextProps {
  part: TextPart
  /** It is the only part: a label would say nothing. */
  isAlone?: boolean
}

export function Text({ part, isAlone = false }: TextProps) {
  const words = useContext(WordsContext)
  const [limit, setLimit] = useState(0)
  const [isOpen, setOpen] = useState(part.isFolded !== true)
  const lines = useMemo(() => countLines(part.text), [part.text])
  const found = useMemo(() => foundIn(part.text, words), [part.text, words])
  if (!isOpen && found < 0) {
    return (
      <button type="button" className="more" onClick={() => setOpen(true)}>
        Show {part.label ?? 'the text'}, {countOf(lines, 'line')}
      </button>
    )
  }
  return (
    <figure className={`text-part mark-${part.tone}`}>
      {part.label === undefined || (isAlone && part.label === 'stdout') ? null : <figcaption>{part.label}</figcaption>}
      <TextLines text={part.text} extra={limit} least={found} more={() => setLimit(limit + step)} />
      {part.spillFile === undefined ? null : (
        <p className="text-note">
          The log contains only the beginning; the whole text is in <code>{visibleText(part.spillFile)}</code>
        </p>
      )}
    </figure>
  )
}

interface TextLinesProps {
  text: string
  /** Lines to show in addition to the first ones. */
  extra: number
  /** A place in the text that is shown in any case; -1 for none. */
  least: number
  more(): void
}

function TextLines({ text, extra: asked, least, more }: TextLinesProps) {
  const needed = least < 0 ? 0 : countLines(text.slice(0, least)) + linesAfter - head
  const extra = Math.max(asked, needed)
  const folded = useMemo(() => foldText(text, { head: head + extra, tail }), [text, extra])
  const cutHead = useMemo(() => {
    const isFolded = folded.hiddenLines > 0
    const all = isFolded ? folded.lines.slice(0, head + extra) : folded.lines
    return cutLength(all.join('\n'), Math.max(longest + extra * 80, least + linesAfter * 80))
  }, [folded, extra, least])
  const isCut = cutHead.hidden > 0
  const hasEnd = folded.hiddenLines > 0 || isCut
  const end = folded.hiddenLines > 0 ? cutLength(folded.lines.slice(head + extra).join('\n'), 4000).text : ''
  return (
    <div className="lines">
      <Coloured text={cutHead.text} />
      {hasEnd ? (
        <button type="button" className="more" onClick={more}>
          {folded.hiddenLines > 0
            ? `Show ${countOf(Math.min(folded.hiddenLines, step), 'more line')}${folded.hiddenLines > step ? ` of ${countText(folded.hiddenLines)}` : ''}, ${sizeText(folded.hiddenBytes + cutHead.hidden)}`
            : `Show ${sizeText(cutHead.hidden)} more`}
        </button>
      ) : null}
      {end === '' ? null : <Coloured text={end} />}
    </div>
  )
}

function Coloured({ text }: { text: string }) {
  const runs = useMemo(() => coloured(text), [text])
  return (
    <pre>
      {keyed(runs).map(({ key, value }) =>
        value.look === '' ? (
          value.text
        ) : (
          <span key={key} className={value.look}>
            {value.text}
          </span>
        ),
      )}
    </pre>
  )
}

function cutLength(text: string, most: number): { text: string; hidden: number } {
  return text.length <= most ? { text, hidden: 0 } : { text: text.slice(0, most), hidden: text.length - most }
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

export interface Run {
  text: string
  /** Class names; empty for plain text. */
  look: string
}

interface Look {
  colour: number
  marks: Set<string>
}

/** Codes that switch a mark on, and those that switch marks off. */
const on: Readonly<Record<number, string>> = { 1: 'tc-bold', 2: 'tc-dim', 3: 'tc-italic', 4: 'tc-line', 90: 'tc-dim' }
const off: Readonly<Record<number, string[]>> = { 22: ['tc-bold', 'tc-dim'], 23: ['tc-italic'], 24: ['tc-line'] }

export function coloured(text: string): Run[] {
  if (!text.includes('\u001b[')) return [{ text: visibleText(text), look: '' }]
  const runs: Run[] = []
  const look: Look = { colour: 0, marks: new Set() }
  // Split by a pattern with one group: texts at even places, codes at odd ones.
  text.split(/\u001b\[([0-9;]*)m/).forEach((part, at) => {
    if (at % 2 === 1) change(look, part)
    else if (part !== '') runs.push({ text: visibleText(part), look: nameOf(look) })
  })
  return runs
}

function change(look: Look, codes: string): void {
  const numbers = codes.split(';').map(Number)
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0
    const mark = on[code]
    if (code === 0) {
      look.colour = 0
      look.marks.clear()
    } else if (mark !== undefined) look.marks.add(mark)
    else if (code === 39) look.colour = 0
    else if (code === 38 || code === 48) at += numbers[at + 1] === 2 ? 4 : 2
    else if ((code >= 31 && code <= 36) || (code >= 91 && code <= 96)) look.colour = code % 10
    else for (const name of off[code] ?? []) look.marks.delete(name)
  }
}

function nameOf({ colour, marks }: Look): string {
  return [...(colour > 0 ? [`tc-${colour}`] : []), ...marks].join(' ')
}

export const WordsContext = createContext<readonly string[]>([])

/** Where the first of some lower-case words is in a text; -1 where none is. */
export function foundIn(text: string, words: readonly string[]): number {
  if (words.length === 0) return -1
  const lower = text.toLowerCase()
  const places = words.map(word => lower.indexOf(word)).filter(at => at >= 0)
  return places.length === 0 ? -1 : Math.min(...places)
}
