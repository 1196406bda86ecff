// Small parts of the session's screen, and what its controls do to the address.

import { type RefObject, useEffect, useRef } from 'react'
import type { FoundPlace, Outline } from '../../src/view/reading.ts'
import { Icon } from '../parts/icon.tsx'
import { cameBack, navigate, routeNow } from '../route.ts'
import { type Filter, lowerBound, writeFilter } from './filter.ts'
import type { Fork } from './paths.ts'
import type { Rows } from './rows.ts'
import { Split } from './split.tsx'
import { itemKey, type OpenItems } from './state.ts'
import type { ListHandle } from './transcript.tsx'
import type { Cursoring } from './use-cursor.ts'

export function NewBelow({ count, onClick }: { count: number; onClick(): void }) {
  return (
    <button type="button" className="new-below no-print" onClick={onClick}>
      <Icon name="down" /> {count.toLocaleString('en-US')} new below
    </button>
  )
}

/** While only the beginning is known. */
export function More() {
  return (
    <p className="session-end" role="status">
      Reading the rest…
    </p>
  )
}

/** Why there is nothing to see; empty where there is something. */
export function emptyWords(rows: Rows, outline: Outline): string {
  if (rows.slots.length > 0) return ''
  return outline.ids.length > 0 ? 'Nothing here with these filters.' : 'Nothing was said in this session.'
}

/** Filters go into the address; the place stays. */
export function showFilter(filter: Filter): void {
  const route = routeNow()
  navigate({ ...route, query: { ...route.query, show: writeFilter(filter) } }, { replace: true })
}

export interface Finding {
  start(): void
  stop(): void
  look(text: string): void
}

export function makeFinding(setFinding: (isFinding: boolean) => void, list: RefObject<ListHandle | null>): Finding {
  const put = (find: string) => {
    const route = routeNow()
    navigate({ ...route, query: { ...route.query, find } }, { replace: true })
  }
  return {
    start: () => {
      setFinding(true)
      document.querySelector<HTMLInputElement>('.find-bar input')?.select()
    },
    stop: () => {
      setFinding(false)
      put('')
      list.current?.focus()
    },
    look: put,
  }
}

/** Goes to a found place: in this thread at once, else through the address. */
export function goTo(
  found: FoundPlace,
  outline: Outline,
  open: OpenItems,
  list: ListHandle | null,
  set: Cursoring['set'],
): void {
  const route = routeNow()
  if (found.thread !== outline.thread) {
    navigate({ ...route, query: { ...route.query, thread: found.thread, event: found.event, show: '' } })
    return
  }
  for (let n = 0; n < 8; n++) open.set(itemKey('', found.slot, n), true)
  set({ slot: found.slot, n: 0 })
  list?.land(found.slot)
}

export interface SplitAtProps {
  forks: readonly Fork[] | undefined
  slot: number
  outline: Outline
  branch: string | undefined
}

/** The switch behind a slot where paths begin. */
export function SplitAt({ forks, slot, outline, branch }: SplitAtProps) {
  if (!forks) return null
  const wordsOf = (fork: Fork | undefined) => firstWords(outline, slot, fork?.leaf)
  return <Split forks={forks} chosen={branch} wordsOf={wordsOf} />
}

/** The first prompt of a path behind a slot. */
function firstWords(outline: Outline, slot: number, leaf: string | undefined): string {
  for (const key of Object.keys(outline.prompts)) {
    const at = Number(key)
    if (at > slot && outline.branches[at] === leaf) return outline.prompts[at] ?? ''
  }
  return ''
}

const left = new Map<string, number>()

/** Other filters, another path: what was read stays on screen. Coming back finds the place that was left. */
export function useKeptPlace(list: RefObject<ListHandle | null>, rows: Rows, name: string, first: number): void {
  const before = useRef<{ rows: Rows; first: number }>(undefined)
  useEffect(() => {
    const known = before.current
    if (!known) {
      const slot = left.get(name)
      if (slot !== undefined && cameBack() && routeNow().query['event'] === undefined) list.current?.land(slot)
    } else if (known.rows !== rows && isOther(known.rows, rows, known.first)) {
      list.current?.land(known.first)
    }
    before.current = { rows, first }
    left.set(name, first)
  }, [list, rows, name, first])
}

/** Whether rows before a slot changed; a session that only grew stays where it is. */
function isOther(before: Rows, after: Rows, slot: number): boolean {
  return lowerBound(before.slots, slot) !== lowerBound(after.slots, slot)
}
