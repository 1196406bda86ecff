// What people and models say: prompts, answers, thinking; and what went wrong between them.

import { visibleLine } from '../../../src/render/safe-text.ts'
import type { ViewItem } from '../../../src/view/view.ts'
import { firstLine } from '../../../src/view/words.ts'
import { BadgeMark } from '../../parts/badge.tsx'
import { Icon } from '../../parts/icon.tsx'
import { keyed } from '../../parts/keyed.ts'
import { TimeMark } from '../../parts/time.tsx'
import { subjectOf, titleOf } from '../filter.ts'
import { startsOpen } from '../starts-open.ts'
import { type PainterProps, useOpen } from '../state.ts'
import { Body } from './body.tsx'

export function Prompt({ item, itemKey, mediaFrom }: PainterProps) {
  return (
    <div className="prompt">
      <div className="prompt-side">
        <Badges item={item} />
        <TimeMark at={item.at} />
      </div>
      <Body item={item} path={itemKey} mediaFrom={mediaFrom} isClamped />
    </div>
  )
}

export function Delegation({ item, itemKey, mediaFrom }: PainterProps) {
  return (
    <div className="delegation">
      <p className="kind-name">{visibleLine(item.headline)}</p>
      <Body item={item} path={itemKey} mediaFrom={mediaFrom} isClamped />
    </div>
  )
}

export function Answer({ item, itemKey, mediaFrom }: PainterProps) {
  return (
    <div className="answer">
      <Badges item={item} />
      <Body item={item} path={itemKey} mediaFrom={mediaFrom} />
    </div>
  )
}

const notLogged = /^thinking was (not logged by this version|redacted by the API)$/

export function Thinking({ item, itemKey, mediaFrom }: PainterProps) {
  const [isOpen, setOpen] = useOpen(itemKey, false)
  const first = item.body[0]
  const missing = first?.type === 'text' ? notLogged.exec(first.text)?.[1] : undefined
  if (missing !== undefined || !first) {
    return (
      <p className="thinking">
        <Icon name="thinking" /> thinking <i>{missing ?? 'empty'}</i>
      </p>
    )
  }
  const gist = first.type === 'markdown' ? firstLine(first.text.slice(0, 400)).replace(/[*`#]/g, '') : ''
  return (
    <>
      <button type="button" className="thinking" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="open" className="turn" /> thinking {isOpen ? null : <i>{visibleLine(gist)}</i>}
      </button>
      {isOpen ? (
        <div className="opened thought">
          <Body item={item} path={itemKey} mediaFrom={mediaFrom} />
        </div>
      ) : null}
    </>
  )
}

/** API errors and damaged bytes: red, and a sign. */
export function ErrorItem({ item, itemKey, mediaFrom }: PainterProps) {
  const [isOpen, setOpen] = useOpen(itemKey, startsOpen(item))
  return (
    <>
      <button type="button" className="error-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="warn" />
        <b>{visibleLine(titleOf(item))}</b>
        <span>{visibleLine(subjectOf(item))}</span>
        <Badges item={item} />
      </button>
      {isOpen && item.body.length > 0 ? (
        <div className="opened bad">
          <Body item={item} path={itemKey} mediaFrom={mediaFrom} />
        </div>
      ) : null}
    </>
  )
}

export function Badges({ item }: { item: ViewItem }) {
  if (item.badges.length === 0) return null
  return (
    <span className="badges">
      {keyed(item.badges).map(({ key, value }) => (
        <BadgeMark key={key} badge={value} />
      ))}
    </span>
  )
}
