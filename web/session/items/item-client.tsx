// What the client wrote: borders between context windows, commands, notifications, hooks, notices, links. Quiet lines that
// open.

import { visibleLine } from '../../../src/render/safe-text.ts'
import type { ViewItem } from '../../../src/view/view.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { TimeMark } from '../../parts/time.tsx'
import { tokensText } from '../../shell/names.ts'
import { subjectOf, titleOf } from '../filter.ts'
import { startsOpen } from '../starts-open.ts'
import { type PainterProps, useAround, useOpen } from '../state.ts'
import { Body } from './body.tsx'
import { Badges } from './item-talk.tsx'

/** Where history was summarised: a seam across the page, with how much went. */
export function Seam({ item, itemKey, mediaFrom }: PainterProps) {
  const { head } = useAround()
  const known = head?.compactions.find(compaction => compaction.event === item.id)
  const before = known?.preTokens === undefined ? '' : ` at ${tokensText(known.preTokens)} tokens`
  const after = known?.postTokens === undefined ? '' : ` → ${tokensText(known.postTokens)}`
  const words = known ? `compacted${before}${after}` : visibleLine(item.headline.toLowerCase())
  return (
    <>
      <div className="seam">
        <Icon name="scissors" />
        <span>
          {words}
          {known?.trigger ? ` · ${visibleLine(known.trigger)}` : ''}
        </span>
        <Badges item={item} />
      </div>
      <Body item={item} path={itemKey} mediaFrom={mediaFrom} />
    </>
  )
}

export function Interruption({ item }: PainterProps) {
  return (
    <p className="interruption">
      <Icon name="stop" /> {visibleLine(item.headline)}
      <TimeMark at={item.at} />
    </p>
  )
}

const icons: Partial<Record<ViewItem['kind'], IconName>> = {
  command: 'shell',
  notification: 'info',
  summary: 'list',
  hook: 'plug',
  attachment: 'file',
  link: 'link',
}

export function FoldedItem({ item, itemKey, mediaFrom }: PainterProps) {
  const hasThread = item.body.some(part => part.type === 'thread')
  const [isOpen, setOpen] = useOpen(itemKey, startsOpen(item))
  const isBad = item.badges.some(badge => badge.tone === 'bad') || item.body.some(hasBadTone)
  const content = (
    <>
      <Icon name={isBad ? 'warn' : (icons[item.kind] ?? 'quiet')} className="glyph" />
      <b>{visibleLine(titleOf(item))}</b>
      <span className="target">{visibleLine(subjectOf(item))}</span>
      <Badges item={item} />
    </>
  )
  const name = `quiet-line${isBad ? ' is-bad' : ''}${item.isQuiet ? '' : ' is-loud'}`
  if (item.body.length === 0) return <p className={name}>{content}</p>
  return (
    <>
      <button type="button" className={name} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {content}
        <Icon name="open" className="turn" />
      </button>
      {isOpen ? (
        <div className="opened">
          <Body item={item} path={itemKey} mediaFrom={mediaFrom} isClamped={hasThread} />
        </div>
      ) : null}
    </>
  )
}

function hasBadTone(part: ViewItem['body'][number]): boolean {
  return part.type === 'text' && part.tone === 'bad'
}
