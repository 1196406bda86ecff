// The prompt of the turn on screen, at the upper edge while its own row is above it; the next prompt pushes it away.

import { type RefObject, useEffect, useRef, useState } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import { lowerBound } from './filter.ts'
import { type Rows, rowOf } from './rows.ts'
import type { List } from './use-pin.ts'

export interface StickyPromptProps {
  rows: Rows
  list: List
  scroller: RefObject<HTMLDivElement | null>
  onJump(slot: number): void
}

export function StickyPrompt({ rows, list, scroller, onJump }: StickyPromptProps) {
  const [slot, setSlot] = useState<number>()
  const bar = useRef<HTMLButtonElement>(null)
  const look = useRef(() => {})
  look.current = () => {
    const outer = scroller.current
    if (!outer) return
    const found = promptAbove(rows, list, outer.scrollTop)
    setSlot(found?.slot)
    const next = found?.next
    const height = bar.current?.offsetHeight ?? 0
    const push = next === undefined ? 0 : Math.min(0, next - outer.scrollTop - height)
    bar.current?.style.setProperty('transform', `translateY(${push}px)`)
  }
  useEffect(() => look.current())
  useEffect(() => {
    const outer = scroller.current
    const onScroll = () => look.current()
    outer?.addEventListener('scroll', onScroll, { passive: true })
    return () => outer?.removeEventListener('scroll', onScroll)
  }, [scroller])
  const text = slot === undefined ? undefined : rows.outline.prompts[slot]
  return (
    <div className="sticky-place">
      {slot === undefined || text === undefined ? null : (
        <button type="button" className="sticky-prompt" ref={bar} onClick={() => onJump(slot)}>
          <span className="unseen">Prompt of this turn: </span>
          <span>{visibleLine(text)}</span>
        </button>
      )}
    </div>
  )
}

/** The last prompt whose row ended above the edge, and where the next one begins. */
function promptAbove(rows: Rows, list: List, top: number): { slot: number; next: number | undefined } | undefined {
  const first = list.getVirtualItemForOffset(top)
  const at = lowerBound(rows.prompts, (rows.slots[(first?.index ?? 0) - 1] ?? -1) + 1) - 1
  const slot = rows.prompts[at]
  if (slot === undefined) return
  const row = list.measurementsCache[rowOf(rows, slot)]
  if (!row || row.end > top + 8) return
  const after = rows.prompts[at + 1]
  const next = after === undefined ? undefined : list.measurementsCache[rowOf(rows, after)]?.start
  return { slot, next }
}
