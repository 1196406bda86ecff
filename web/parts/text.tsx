// Text as a machine wrote it: its beginning and end, the rest on request. A terminal's colours are kept as looks; what else
// cannot be seen is made visible.

import { useContext, useMemo, useState } from 'react'
import { visibleText } from '../../src/render/safe-text.ts'
import { foldText } from '../../src/view/parts.ts'
import type { TextPart } from '../../src/view/view.ts'
import { countOf, sizeText } from '../../src/view/words.ts'
import { FindContext } from './find-context.ts'
import { keyed } from './keyed.ts'
import { coloured } from './terminal-colours.ts'

const head = 10
const tail = 4
/** How many lines, and characters, one click adds. */
const step = 1000
const longest = 8000

export interface TextProps {
  part: TextPart
  /** It stands alone: its label would say nothing. */
  isAlone?: boolean
}

export function Text({ part, isAlone = false }: TextProps) {
  const needle = useContext(FindContext)
  const [asked, setAsked] = useState(0)
  const [isOpen, setOpen] = useState(part.isFolded !== true)
  const lines = useMemo(() => countLines(part.text), [part.text])
  const isFound = needle !== '' && part.text.toLowerCase().includes(needle)
  if (!isOpen && !isFound) {
    return (
      <button type="button" className="more" onClick={() => setOpen(true)}>
        Show {part.label ?? 'the text'}, {countOf(lines, 'line')}
      </button>
    )
  }
  return (
    <figure className={`text-part mark-${part.tone}`}>
      {part.label === undefined || (isAlone && part.label === 'stdout') ? null : <figcaption>{part.label}</figcaption>}
      <TextLines text={part.text} extra={isFound ? Math.max(asked, step) : asked} more={() => setAsked(asked + step)} />
      {part.spillFile === undefined ? null : (
        <p className="text-note">
          The log holds only the beginning; all of it is in <code>{visibleText(part.spillFile)}</code>
        </p>
      )}
    </figure>
  )
}

interface TextLinesProps {
  text: string
  /** Lines that were asked for besides the first ones. */
  extra: number
  more(): void
}

function TextLines({ text, extra, more }: TextLinesProps) {
  const folded = useMemo(() => foldText(text, { head: head + extra, tail }), [text, extra])
  const cutHead = useMemo(() => {
    const isFolded = folded.hiddenLines > 0
    const all = isFolded ? folded.lines.slice(0, head + extra) : folded.lines
    return cutLength(all.join('\n'), longest + extra * 80)
  }, [folded, extra])
  const isCut = cutHead.hidden > 0
  const hasEnd = folded.hiddenLines > 0 || isCut
  const end = folded.hiddenLines > 0 ? cutLength(folded.lines.slice(head + extra).join('\n'), 4000).text : ''
  return (
    <div className="lines">
      <Coloured text={cutHead.text} />
      {hasEnd ? (
        <button type="button" className="more" onClick={more}>
          {folded.hiddenLines > 0
            ? `Show ${countOf(Math.min(folded.hiddenLines, step), 'more line')}${folded.hiddenLines > step ? ` of ${folded.hiddenLines.toLocaleString('en-US')}` : ''}, ${sizeText(folded.hiddenBytes + cutHead.hidden)}`
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
