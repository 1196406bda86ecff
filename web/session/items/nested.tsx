// The items of one slot, and the thread of a subagent inside the call that started it.

import { type CSSProperties, memo, useEffect, useMemo, useState } from 'react'
import { countOf, countText, durationText } from '../../../src/base/format.ts'
import { visibleLine } from '../../../src/render/safe-text.ts'
import type { ThreadPart, ViewItem } from '../../../src/view/view.ts'
import { keyed } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { agentHue } from '../../parts/tool-kind.ts'
import { useItems, useOutline, useStore } from '../../reader.ts'
import { Link } from '../../route.ts'
import { type Filter, isShown, readFilter, visibleSlots } from '../filter.tsx'
import { itemKey, type NestedProps, useAround } from '../state.ts'
import { Item } from './item.tsx'

const firstSlots = 24
const step = 60
const everything = readFilter('')

export function NestedThread({ part, path }: NestedProps) {
  const { head } = useAround()
  const { value: outline, error } = useOutline(part.thread)
  const items = useItems(part.thread)
  const store = useStore()
  const [count, setCount] = useState(firstSlots)
  const slots = useMemo(() => (outline ? visibleSlots(outline, everything) : []), [outline])
  const shown = slots.length <= count * 1.2 ? slots : slots.slice(0, count)
  const last = shown.at(-1)
  useEffect(() => {
    if (last !== undefined) store.want(part.thread, 0, last + 1)
  }, [store, part.thread, last])
  const hue = agentHue(head, part.thread)
  const style = { '--hue': hue === 0 ? 'var(--agent)' : `var(--agent-${hue})` } as CSSProperties
  return (
    <section className="nested" style={style} data-inferred={isInferred(part.linkedBy)} aria-label={nameOf(part)}>
      <NestedHead part={part} />
      {error ? <p className="text-note">This thread could not be read: {error.message}</p> : null}
      {shown.map(slot => (
        <SlotItems
          key={slot}
          thread={part.thread}
          slot={slot}
          items={items.get(slot)}
          path={path}
          filter={everything}
        />
      ))}
      {shown.length < slots.length ? (
        <button type="button" className="more" onClick={() => setCount(shown.length + step)}>
          Show {countOf(Math.min(step, slots.length - shown.length), 'more step')} of {countText(slots.length)}
        </button>
      ) : null}
    </section>
  )
}

function nameOf(part: ThreadPart): string {
  return `Subagent ${visibleLine(part.agentType ?? '')}`.trimEnd()
}

/** Links that are a conclusion, not stated by the log. */
function isInferred(linkedBy: string | undefined): boolean {
  return linkedBy === undefined || linkedBy === 'prompt' || linkedBy === 'parent'
}

function NestedHead({ part }: { part: ThreadPart }) {
  const { head, session } = useAround()
  const thread = head?.threads.find(one => one.id === part.thread)
  const from = thread?.startedAt ? Date.parse(thread.startedAt) : Number.NaN
  const to = thread?.endedAt ? Date.parse(thread.endedAt) : Number.NaN
  return (
    <p className="nested-head">
      <Icon name="agent" />
      <b>{visibleLine(part.agentType ?? thread?.agentType ?? 'subagent')}</b>
      {thread ? <span>{countOf(thread.calls, 'call')}</span> : null}
      {to > from ? <span>{durationText(to - from)}</span> : null}
      {isInferred(part.linkedBy) ? (
        <span title="The log does not say which call started it">
          {part.linkedBy === undefined ? 'not linked by the log' : `linked by its ${part.linkedBy}`}
        </span>
      ) : null}
      <Link route={{ screen: 'transcript', session, query: { thread: part.thread } }}>Open as its own thread</Link>
    </p>
  )
}

export interface SlotItemsProps {
  thread: string
  slot: number
  items: readonly ViewItem[] | undefined
  /** The key of the thread: empty for the one on screen. */
  path: string
  filter: Filter
  /** The item that is being looked at, by its place in the slot; absent in nested threads. */
  current?: number
  /** An event that a link named. */
  marked?: string
  /** How high the place is meanwhile. */
  height?: number
}

export const SlotItems = memo(function SlotItems(props: SlotItemsProps) {
  const { slot, items, path, filter, current = -1, marked, height = 28 } = props
  if (!items) return <div className="waiting" style={{ height }} aria-hidden="true" />
  const hasMarked = marked !== undefined && items.some(item => item.id === marked)
  return keyed(items).map(({ key, value }, n) =>
    isShown(value, filter) || (hasMarked && value.id === marked) ? (
      <Item
        key={key}
        item={value}
        itemKey={itemKey(path, slot, n)}
        {...(path === '' ? { cursor: { slot, n } } : {})}
        mediaFrom={mediaBefore(items, n)}
        isCurrent={current === n}
        isMarked={marked !== undefined && (hasMarked ? value.id === marked : n === 0)}
      />
    ) : null,
  )
})

/** Media are counted through an event, which may show several items. */
function mediaBefore(items: readonly ViewItem[], n: number): number {
  const id = items[n]?.id
  let count = 0
  for (const item of items.slice(0, n)) {
    if (item.id === id) count += item.body.filter(part => part.type === 'media').length
  }
  return count
}
