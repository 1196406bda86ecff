// One item of a thread: which painter it gets, and what all have: a place, a name, copy, link and raw record.

import { memo, type ReactNode } from 'react'
import { visibleLine } from '../../../src/render/safe-text.ts'
import type { ViewItem } from '../../../src/view/view.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { group } from '../../parts/scrollable.ts'
import { hrefOf } from '../../route.ts'
import { type Cursor, type PainterProps, useAround } from '../state.ts'
import { copiedFrom } from './copy-text.ts'
import { CallItem } from './item-call.tsx'
import { FoldedItem, Interruption, Seam } from './item-client.tsx'
import { Answer, Delegation, ErrorItem, Prompt, Thinking } from './item-talk.tsx'

export interface ItemProps {
  item: ViewItem
  itemKey: string
  /** How many media the event's items before this one hold. */
  mediaFrom: number
  /** Absent in nested threads, through which the cursor does not go. */
  cursor?: Cursor
  isCurrent: boolean
  isMarked: boolean
}

const names: Partial<Record<ViewItem['kind'], string>> = { prompt: 'Prompt', answer: 'Answer', thinking: 'Thinking' }

export const Item = memo(function Item({ item, itemKey, mediaFrom, cursor, isCurrent, isMarked }: ItemProps) {
  const name = names[item.kind] ?? visibleLine(item.headline).slice(0, 160)
  return (
    <div
      className={`item item-${item.kind}`}
      {...group(name)}
      tabIndex={-1}
      data-key={itemKey}
      {...(cursor ? { 'data-slot': cursor.slot, 'data-n': cursor.n } : {})}
      data-current={isCurrent}
      data-marked={isMarked}
      data-removed={item.isRemoved === true}
    >
      <Painter item={item} itemKey={itemKey} mediaFrom={mediaFrom} />
      <ItemTools item={item} />
    </div>
  )
})

function Painter(props: PainterProps): ReactNode {
  switch (props.item.kind) {
    case 'prompt':
      return <Prompt {...props} />
    case 'delegation':
      return <Delegation {...props} />
    case 'answer':
      return <Answer {...props} />
    case 'thinking':
      return <Thinking {...props} />
    case 'call':
    case 'result':
      return <CallItem {...props} />
    case 'error':
    case 'damaged':
      return <ErrorItem {...props} />
    case 'compaction':
      return <Seam {...props} />
    case 'interruption':
      return <Interruption {...props} />
    default:
      return <FoldedItem {...props} />
  }
}

/** Shown for what is pointed at, focused or looked at. */
function ItemTools({ item }: { item: ViewItem }) {
  const { session, head, showRaw } = useAround()
  const copied = () => copiedFrom(item)
  const main = head?.threads.find(thread => thread.kind === 'main')?.id
  const link = () => {
    const thread = main === undefined || item.thread === main ? {} : { thread: item.thread }
    return window.location.origin + hrefOf({ screen: 'transcript', session, query: { ...thread, event: item.id } })
  }
  return (
    <div className="item-tools">
      <CopyButton text={() => copied().text} what={copied().what} />
      <CopyButton text={link} what="link to this" icon="link" />
      <button
        type="button"
        className="tool-button"
        title="Raw record (r)"
        aria-label="Raw record"
        onClick={() => showRaw(item.id)}
      >
        <Icon name="raw" />
      </button>
    </div>
  )
}
