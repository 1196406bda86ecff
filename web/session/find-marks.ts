// Marks a text wherever it is on screen, without touching the elements: the browser paints ranges. Where a browser cannot
// do that, nothing is marked.

import { type RefObject, useEffect } from 'react'

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
