// The list of rows: only those on screen exist. It scrolls, lands on a row, reports what is visible, and shows the prompt of
// the turn on screen at its top. What a row shows is in items/.

import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import { type Items, useStore } from '../reader.ts'
import { cursorOf } from './cursor.ts'
import { type Filter, lowerBound } from './filter.tsx'
import { SlotItems } from './items/nested.tsx'
import { type List, type ListHandle, usePin, useSteady } from './scrolling.ts'
import { type Cursor, type OpenItems, type Rows, rowOf, slotOf } from './state.ts'

export interface TranscriptProps {
  handle: RefObject<ListHandle | null>
  rows: Rows
  thread: string
  items: Items
  filter: Filter
  open: OpenItems
  top: ReactNode
  end: ReactNode
  /** Shown after a slot: a switch where the conversation split. */
  after(slot: number): ReactNode
  onVisible(from: number, to: number, isAtEnd: boolean): void
  onSelect(cursor: Cursor): void
}

/** Space that a landed row keeps above itself: the prompt of its turn sticks there. */
const landing = 76
const overscan = 6

export function Transcript(props: TranscriptProps) {
  const { rows, open, items, handle, onSelect } = props
  const scroller = useRef<HTMLDivElement>(null)
  const list = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.count,
    getScrollElement: () => scroller.current,
    ...useSizes(rows),
    overscan,
    initialRect: { width: 800, height: 800 },
  })
  useSteady(list, scroller, open)
  const pinning = usePin(list, scroller)
  const shown = list.getVirtualItems()
  useImperativeHandle(handle, () => listHandle(list, scroller, rows, pinning), [list, rows, pinning])
  useWanted(props, shown)
  useVisible(props, list, scroller, shown)
  const first = shown[0]
  const select = (event: React.MouseEvent) => {
    const item = event.target instanceof Element ? event.target.closest('.item') : null
    const cursor = item instanceof HTMLElement ? cursorOf(item) : undefined
    if (cursor) onSelect(cursor)
  }
  return (
    <div className="transcript">
      <StickyPrompt rows={rows} list={list} scroller={scroller} onJump={slot => handle.current?.land(slot)} />
      {/* Clicking selects; the keyboard does the same with j and k. */}
      <div className="transcript-scroll" ref={scroller} tabIndex={-1} onClickCapture={select}>
        <div className="transcript-space" style={{ '--height': `${list.getTotalSize()}px` } as CSSProperties}>
          <div
            className="transcript-rows"
            role="feed"
            aria-label="Transcript"
            aria-busy={items.get(slotOf(rows, first?.index ?? 0) ?? 0) === undefined}
            style={{ '--from': `${first?.start ?? 0}px` } as CSSProperties}
          >
            {shown.map(row => (
              <div key={row.key} className="row" data-index={row.index} ref={list.measureElement}>
                <Row {...props} index={row.index} height={row.size} />
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

/** With other functions the list would start over. */
function useSizes(rows: Rows) {
  return useMemo(
    () => ({
      estimateSize: (index: number) => rows.heights[index] ?? 28,
      getItemKey: (index: number) => slotOf(rows, index) ?? (index === 0 ? 'top' : 'end'),
    }),
    [rows],
  )
}

interface RowProps extends TranscriptProps {
  index: number
  height: number
}

function Row({ rows, index, height, thread, items, filter, top, end, after }: RowProps) {
  const slot = slotOf(rows, index)
  if (slot === undefined) {
    const name = index === 0 ? 'About this session' : 'The end'
    return <article aria-label={name}>{index === 0 ? top : end}</article>
  }
  return (
    <article aria-posinset={index} aria-setsize={rows.slots.length} aria-label={nameOf(rows, slot)}>
      <SlotItems
        thread={thread}
        slot={slot}
        items={items.get(slot)}
        path=""
        filter={filter}
        isRepeated={rows.repeated.has(slot)}
        isLast={slot >= rows.last}
        turn={rows.outline.turnFacts[slot]}
        height={height}
      />
      {after(slot)}
    </article>
  )
}

function nameOf(rows: Rows, slot: number): string {
  const prompt = rows.outline.prompts[slot]
  if (prompt !== undefined) return `Prompt: ${prompt}`
  const calls = rows.outline.calls[slot]
  return calls ? calls.map(call => call.name).join(', ') : 'Step'
}

function listHandle(
  list: List,
  scroller: RefObject<HTMLDivElement | null>,
  rows: Rows,
  pinning: ReturnType<typeof usePin>,
): ListHandle {
  return {
    land: slot => pinning.pin(slot === 'end' ? 'end' : { index: rowOf(rows, slot), below: belowOf(rows, slot) }),
    landOn: (slot, key, words) => pinning.pin({ index: rowOf(rows, slot), below: landing, key, words }),
    reveal: slot => {
      const outer = scroller.current
      const row = list.measurementsCache[rowOf(rows, slot)]
      if (!outer || !row) return
      pinning.release()
      const isAbove = row.start < outer.scrollTop + landing
      const isBelow = row.end > outer.scrollTop + outer.clientHeight - 24
      if (isAbove || row.size > outer.clientHeight - landing)
        pinning.pin({ index: row.index, below: belowOf(rows, slot) })
      else if (isBelow) pinning.pin({ index: row.index, below: outer.clientHeight - row.size - 24 })
    },
    visible: () => visibleSlotsOf(list, rows),
    focus: () => scroller.current?.focus({ preventScroll: true }),
  }
}

/** A prompt needs no space above: nothing sticks there. */
function belowOf(rows: Rows, slot: number): number {
  return rows.outline.prompts[slot] === undefined ? landing : 8
}

/** Asked of the list, not of the page, which would have to be laid out first. */
function isAtEnd(list: List): boolean {
  return list.scrollRect !== null && list.getTotalSize() - (list.scrollOffset ?? 0) - list.scrollRect.height < 48
}

function visibleSlotsOf(list: List, rows: Rows): [number, number] {
  const top = list.scrollOffset ?? 0
  const bottom = top + (list.scrollRect?.height ?? 0)
  const seen = list.getVirtualItems().filter(row => row.end > top + 8 && row.start < bottom)
  const slots = seen.flatMap(row => slotOf(rows, row.index) ?? [])
  return [slots[0] ?? 0, slots.at(-1) ?? 0]
}

const askEveryMs = 70

/** Asks for the items on screen, and a little around: not for every page that flies past. */
function useWanted({ rows, thread }: TranscriptProps, shown: { index: number }[]): void {
  const store = useStore()
  const asked = useRef(0)
  const from = Math.max(1, (shown[0]?.index ?? 1) - 8)
  const to = (shown.at(-1)?.index ?? 0) + 8
  useEffect(() => {
    const ask = () => {
      asked.current = performance.now()
      for (let index = from; index <= to; index++) {
        const slot = slotOf(rows, index)
        if (slot !== undefined) store.want(thread, slot, slot + 1)
      }
    }
    const wait = askEveryMs - (performance.now() - asked.current)
    if (wait <= 0) {
      ask()
      return
    }
    const timer = setTimeout(ask, wait)
    return () => clearTimeout(timer)
  }, [store, rows, thread, from, to])
}

/** Reports what is on screen, once per frame. */
function useVisible(
  { rows, onVisible }: TranscriptProps,
  list: List,
  scroller: RefObject<HTMLDivElement | null>,
  shown: unknown,
): void {
  const report = useRef(() => {})
  report.current = () => onVisible(...visibleSlotsOf(list, rows), isAtEnd(list))
  useLayoutEffect(() => {
    if (shown) report.current()
  }, [shown])
  useEffect(() => {
    const outer = scroller.current
    if (!outer) return
    let frame = 0
    const onScroll = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => report.current())
    }
    outer.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      outer.removeEventListener('scroll', onScroll)
    }
  }, [scroller])
}

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
