// A long text of a person or a model: its beginning, the rest on request.

import { useContext, useMemo, useState } from 'react'
import { foldText } from '../../../src/view/parts.ts'
import { countOf, sizeText } from '../../../src/view/words.ts'
import { FindContext } from '../../parts/find-context.ts'
import { Markdown } from '../../parts/markdown.tsx'

const longest = 1400
const mostLines = 14

export function Clamped({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const needle = useContext(FindContext)
  const isFound = needle !== '' && text.toLowerCase().includes(needle)
  const short = useMemo(() => beginning(text), [text])
  if (isWhole || isFound || short === undefined) {
    return (
      <>
        <Markdown text={text} />
        {isWhole ? (
          <button type="button" className="more" aria-expanded="true" onClick={() => setWhole(false)}>
            Show less
          </button>
        ) : null}
      </>
    )
  }
  return (
    <>
      <Markdown text={short.text} />
      <button type="button" className="more" aria-expanded="false" onClick={() => setWhole(true)}>
        Show {short.lines > 0 ? countOf(short.lines, 'more line') : `${sizeText(text.length - short.text.length)} more`}
      </button>
    </>
  )
}

function beginning(text: string): { text: string; lines: number } | undefined {
  const folded = foldText(text, { head: mostLines, tail: 0 })
  let start = folded.hiddenLines > 3 ? folded.lines.join('\n') : text
  if (start.length > longest * 1.3) {
    const end = start.lastIndexOf(' ', longest)
    start = `${start.slice(0, end > longest / 2 ? end : longest)}…`
  }
  if (start === text) return
  // A fence that was opened is closed, so that the button below is no code.
  const fences = start.match(/^\s*```/gm)?.length ?? 0
  return { text: fences % 2 === 1 ? `${start}\n\`\`\`` : start, lines: folded.hiddenLines }
}
