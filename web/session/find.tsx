// Find in session: a bar that searches everything, also what is not rendered, and marks matches on screen.

import { type RefObject, useDeferredValue, useEffect, useRef, useState } from 'react'
import { countOf, countText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import { compareWays, type EventPlace, type FoundPlace, wayTo } from '../../src/view/reading.ts'
import { useKeys } from '../keys.ts'
import { Icon } from '../parts/icon.tsx'
import { useAsync, useReader } from '../reader.ts'

export interface FindBarProps {
  text: string
  /** The slots that lead to where the reader is. */
  here(): number[]
  onText(text: string): void
  onClose(): void
  onGo(place: FoundPlace): void
}

const typingMs = 220

export function FindBar({ text, here, onText, onClose, onGo }: FindBarProps) {
  const reader = useReader()
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(text)
  const [at, setAt] = useState(-1)
  useEffect(() => field.current?.select(), [])
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => onText(typed), typingMs)
    return () => clearTimeout(timer)
  }, [typed, text, onText])
  useKeys({ Esc: ['close', onClose] }, 'Find in this session')
  const searched = useDeferredValue(text.trim())
  const {
    value: places,
    error,
    isLoading,
  } = useAsync(() => (searched === '' ? Promise.resolve([]) : reader.find(searched)), [reader, searched])
  const go = (step: 1 | -1) => {
    if (!places || places.length === 0) return
    const next = nextPlace(places, at, here(), step)
    setAt(next)
    const place = places[next]
    if (place) onGo(place)
  }
  const count = places?.length ?? 0
  const current = places?.[at]
  return (
    <search className="find-bar no-print">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        value={typed}
        aria-label="Find in this session"
        placeholder="Find in this session"
        onChange={event => {
          setTyped(event.target.value)
          setAt(-1)
        }}
        onKeyDown={event => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
        }}
      />
      <span className="find-count" role="status">
        {error ? error.message : searched === '' ? '' : isLoading ? '…' : placesText(at, count)}
      </span>
      {current ? <Snippet place={current} /> : <span className="filter-gap" />}
      <button
        type="button"
        className="tool-button"
        aria-label="Previous place"
        disabled={count === 0}
        onClick={() => go(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        className="tool-button"
        aria-label="Next place"
        disabled={count === 0}
        onClick={() => go(1)}
      >
        <Icon name="down" />
      </button>
      <button type="button" className="tool-button" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </search>
  )
}

/** The next place: after the last one while the reader is there, else from where the reader is. At the end, the first. */
export function nextPlace(places: readonly EventPlace[], last: number, here: readonly number[], step: 1 | -1): number {
  const known = places[last]
  const isThere = known !== undefined && compareWays(wayTo(known), here) === 0
  if (isThere) return (last + step + places.length) % places.length
  if (step === 1) {
    return Math.max(
      0,
      places.findIndex(place => compareWays(wayTo(place), here) >= 0),
    )
  }
  const before = places.findLastIndex(place => compareWays(wayTo(place), here) < 0)
  return before < 0 ? places.length - 1 : before
}

function placesText(at: number, count: number): string {
  if (count === 0) return 'no matches'
  return at < 0 ? countOf(count, 'place') : `${countText(at + 1)} of ${countText(count)}`
}

function Snippet({ place }: { place: FoundPlace }) {
  const [first] = place.highlights
  const [from, to] = first ?? [0, 0]
  return (
    <span className="find-snippet">
      {visibleLine(place.snippet.slice(0, from))}
      <mark>{visibleLine(place.snippet.slice(from, to))}</mark>
      {visibleLine(place.snippet.slice(to))}
    </span>
  )
}

const name = 'found'
const mostRanges = 2000

/** Marks lower-case words wherever they are on screen; `within`: a selector of what they are marked in. */
export function useFindMarks(place: RefObject<HTMLElement | null>, words: readonly string[], within: string): void {
  const wanted = words.join('\n')
  useEffect(() => {
    const outer = place.current
    if (!('highlights' in CSS) || wanted === '' || !outer) return
    const look = () => {
      const found = [...outer.querySelectorAll(within)].flatMap(one => rangesIn(one, wanted.split('\n'), mostRanges))
      CSS.highlights.set(name, new Highlight(...found))
    }
    let timer = setTimeout(look, 30)
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(look, 60)
    })
    observer.observe(outer, { subtree: true, childList: true, characterData: true, attributeFilter: ['data-marked'] })
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      CSS.highlights.delete(name)
    }
  }, [place, wanted, within])
}

/** Where any of these lower-case words is in the text of an element, in order. */
export function rangesIn(element: Element, words: readonly string[], most: number): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node && ranges.length < most; node = walker.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase()
    // Lower case may be longer than what it is made from.
    if (text.length !== node.textContent?.length) continue
    for (const [from, to] of matchesIn(text, words)) {
      const range = new Range()
      range.setStart(node, from)
      range.setEnd(node, to)
      ranges.push(range)
    }
  }
  return ranges
}

/** In order, without overlaps. */
export function matchesIn(text: string, words: readonly string[]): [from: number, to: number][] {
  const found: [number, number][] = []
  for (const word of words) {
    if (word === '') continue
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
      found.push([at, at + word.length])
    }
  }
  found.sort((one, other) => one[0] - other[0] || other[1] - one[1])
  return found.filter(([from], at) => at === 0 || from >= (found[at - 1]?.[1] ?? 0))
}
