// Find in session: a bar that searches everything, also what is not rendered, and marks matches on screen.

import { type RefObject, useDeferredValue, useEffect, useRef, useState } from 'react'
import { countOf, countText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { FoundPlace } from '../../src/view/reading.ts'
import { useKeys } from '../keys.ts'
import { Icon } from '../parts/icon.tsx'
import { useAsync, useReader } from '../reader.ts'

export interface FindBarProps {
  text: string
  onText(text: string): void
  onClose(): void
  onGo(place: FoundPlace): void
}

const typingMs = 220

export function FindBar({ text, onText, onClose, onGo }: FindBarProps) {
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
    const next = (at + step + places.length) % places.length
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

/** `version` changes with what is on screen. */
export function useFindMarks(place: RefObject<HTMLElement | null>, needle: string, version: unknown): void {
  useEffect(() => {
    const outer = place.current
    if (!('highlights' in CSS)) return
    if (needle === '' || !outer || version === undefined) {
      CSS.highlights.delete(name)
      return
    }
    const timer = setTimeout(() => CSS.highlights.set(name, new Highlight(...rangesIn(outer, needle))), 60)
    return () => clearTimeout(timer)
  }, [place, needle, version])
  useEffect(() => () => void ('highlights' in CSS && CSS.highlights.delete(name)), [])
}

function rangesIn(outer: HTMLElement, needle: string): Range[] {
  const ranges: Range[] = []
  for (const element of outer.querySelectorAll('.transcript-rows')) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node && ranges.length < mostRanges; node = walker.nextNode()) {
      const text = (node.textContent ?? '').toLowerCase()
      for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
        if (at + needle.length > (node.textContent?.length ?? 0)) break
        const range = new Range()
        range.setStart(node, at)
        range.setEnd(node, at + needle.length)
        ranges.push(range)
      }
    }
  }
  return ranges
}
