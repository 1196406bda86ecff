// Code with line numbers and colours, which come when the browser has time.

import { useContext, useEffect, useMemo, useRef, useState } from 'react'
import { countOf, countText } from '../../src/base/format.ts'
import { visibleText } from '../../src/render/safe-text.ts'
import { CopyButton } from './copy.tsx'
import { keyed } from './facts.tsx'
import { canHighlight, highlight, type Token } from './highlight.ts'
import { foundIn, WordsContext } from './text.tsx'

const firstLines = 40
const step = 1000
const longestLine = 20_000
/** How much is shown behind what was searched for. */
const linesAfter = 6

export interface CodeProps {
  text: string
  language?: string
  /** Number of the first line; numbers are shown where it is known. */
  startLine?: number
  isFolded?: boolean
  /** What the copy button copies: `command`. */
  what?: string
}

export function Code({ text, language, startLine, isFolded, what = 'code' }: CodeProps) {
  const words = useContext(WordsContext)
  const [isOpen, setOpen] = useState(isFolded !== true)
  const [limit, setLimit] = useState(firstLines)
  const lines = useMemo(() => shownLines(text), [text])
  const found = useMemo(() => foundIn(text, words), [text, words])
  if (!isOpen && found < 0) {
    return (
      <button type="button" className="more" onClick={() => setOpen(true)}>
        Show {language === undefined ? 'the text' : language}, {countOf(lines.length, 'line')}
      </button>
    )
  }
  const count = found < 0 ? limit : Math.max(limit, text.slice(0, found).split('\n').length + linesAfter)
  const shown = lines.length <= count * 1.25 ? lines : lines.slice(0, count)
  return (
    <div className="code">
      <CodeLines
        lines={shown}
        {...(language ? { language } : {})}
        {...(startLine === undefined ? {} : { startLine })}
      />
      <div className="code-tools">
        <CopyButton text={() => text} what={what} />
      </div>
      {shown.length < lines.length ? (
        <button type="button" className="more" onClick={() => setLimit(count + step)}>
          Show {countOf(Math.min(step, lines.length - shown.length), 'more line')} of {countText(lines.length)}
        </button>
      ) : null}
    </div>
  )
}

function shownLines(text: string): string[] {
  return visibleText(text)
    .split('\n')
    .map(line => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line))
}

interface CodeLinesProps {
  lines: readonly string[]
  language?: string
  startLine?: number
}

export function CodeLines({ lines, language, startLine }: CodeLinesProps) {
  const place = useRef<HTMLDivElement>(null)
  const text = useMemo(() => lines.join('\n'), [lines])
  const tokens = useTokens(place, text, language)
  const numbers = useMemo(
    () => (startLine === undefined ? undefined : lines.map((_, at) => startLine + at).join('\n')),
    [lines, startLine],
  )
  return (
    <div className="code-lines" ref={place} {...scrollable(language ? `${language} code` : 'code')}>
      {numbers === undefined ? null : (
        <pre className="code-numbers" aria-hidden="true">
          {numbers}
        </pre>
      )}
      <pre>
        <code>{tokens ? keyed(tokens).map(({ key, value }) => <Line key={key} tokens={value} />) : text}</code>
      </pre>
    </div>
  )
}

function Line({ tokens }: { tokens: readonly Token[] }) {
  return (
    <>
      <Tokens tokens={tokens} />
      {'\n'}
    </>
  )
}

export function Tokens({ tokens }: { tokens: readonly Token[] }) {
  return keyed(tokens).map(({ key, value }) =>
    value.look === '' ? (
      value.text
    ) : (
      <span key={key} className={value.look}>
        {value.text}
      </span>
    ),
  )
}

/** Made colours, so that what scrolls back into sight has them at once. */
const known = new Map<string, Token[][]>()
const mostKnown = 200

/** Tokens of a text once its place is on screen. */
export function useTokens(
  place: React.RefObject<HTMLElement | null>,
  text: string,
  language: string | undefined,
): Token[][] | undefined {
  const key = `${language}\n${text}`
  const [made, setMade] = useState<{ key: string; tokens: Token[][] }>()
  const isKnown = known.has(key)
  useEffect(() => {
    const element = place.current
    if (!element || language === undefined || isKnown || !canHighlight(text, language)) return
    const calledOff = new AbortController()
    const observer = new IntersectionObserver(entries => {
      if (!entries.some(entry => entry.isIntersecting)) return
      observer.disconnect()
      highlight(text, language, calledOff.signal).then(tokens => {
        if (!tokens || calledOff.signal.aborted) return
        remember(key, tokens)
        setMade({ key, tokens })
      }, ignore)
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      calledOff.abort()
    }
  }, [place, text, language, key, isKnown])
  return known.get(key) ?? (made?.key === key ? made.tokens : undefined)
}

/** Code without colours is code all the same. */
function ignore(): void {}

function remember(key: string, tokens: Token[][]): void {
  known.set(key, tokens)
  for (const old of known.keys()) if (known.size > mostKnown) known.delete(old)
}

export function group(name: string) {
  return { role: 'group', 'aria-label': name } as const
}

export function scrollable(name: string) {
  return { ...group(name), tabIndex: 0 } as const
}
