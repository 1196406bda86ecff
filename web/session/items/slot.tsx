// The items of one slot. While they are on their way, their place is kept.

import { memo } from 'react'
import type { ViewItem } from '../../../src/view/view.ts'
import { keyed } from '../../parts/keyed.ts'
import { type Filter, isShown } from '../filter.ts'
import { itemKey } from '../state.ts'
import { Item } from './item.tsx'

export interface SlotItemsProps {
  thread: string
  slot: number
  items: readonly ViewItem[] | undefined
  /** Where the thread stands: empty for the one on screen. */
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
