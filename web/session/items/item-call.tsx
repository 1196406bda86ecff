// A tool call: one line (what, on what, how long, how it ended) until it is opened.

import { visibleLine } from '../../../src/render/safe-text.ts'
import type { Badge, ViewItem } from '../../../src/view/view.ts'
import { countOf, firstLine } from '../../../src/view/words.ts'
import { BadgeMark } from '../../parts/badge.tsx'
import { Icon } from '../../parts/icon.tsx'
import { keyed } from '../../parts/keyed.ts'
import { toolIcon, toolKind } from '../../parts/tool-kind.ts'
import { subjectOf, titleOf } from '../filter.ts'
import { type PainterProps, useAround, useOpen } from '../state.ts'
import { Body } from './body.tsx'
import { Badges } from './item-talk.tsx'

/** More marks than these are told when the call is opened. */
const mostMarks = 2
const longestMark = 14

export function CallItem({ item, itemKey, mediaFrom }: PainterProps) {
  const [isOpen, setOpen] = useOpen(itemKey, false)
  const line = useLine(item)
  const marks = marksOf(item)
  const { duration } = marks
  const told = useThreadMarks(item) ?? marks.told
  const isFailed = item.status === 'failed'
  return (
    <>
      <button
        type="button"
        className={`call kind-${line.kind}`}
        data-status={item.status ?? 'done'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={toolIcon(line.title)} className="glyph" />
        <b>{visibleLine(line.title)}</b>
        <span className={line.isMachine ? 'target mono' : 'target'} title={line.full}>
          {visibleLine(line.target)}
        </span>
        <span className="took">{duration}</span>
        <span className="outcome">
          {keyed(told).map(({ key, value }) => (
            <BadgeMark key={key} badge={value} />
          ))}
          {isFailed && told.length === 0 ? <BadgeMark badge={{ text: 'failed', tone: 'bad' }} /> : null}
        </span>
      </button>
      {isOpen ? (
        <div className="opened">
          {line.note === '' ? null : <p className="call-note">{visibleLine(line.note)}</p>}
          {item.badges.length > told.length + 1 ? <Badges item={item} /> : null}
          <Body item={item} path={itemKey} mediaFrom={mediaFrom} isClamped={line.kind === 'agent'} />
          {item.body.length === 0 ? <p className="text-note">The log holds no more of it.</p> : null}
        </div>
      ) : null}
    </>
  )
}

interface Line {
  kind: ReturnType<typeof toolKind>
  title: string
  target: string
  /** The whole target, for those who point at it. */
  full: string
  /** What the model said that the call is for. */
  note: string
  isMachine: boolean
}

function useLine(item: ViewItem): Line {
  const { home } = useAround()
  const title = titleOf(item)
  const subject = subjectOf(item)
  const kind = toolKind(title)
  const first = item.body[0]
  const isMachine = kind === 'file' || kind === 'shell' || kind === 'web'
  if (kind === 'shell' && first?.type === 'code') {
    const command = firstLine(first.text)
    return {
      kind,
      title,
      target: command,
      full: first.text.slice(0, 500),
      note: subject === command ? '' : subject,
      isMachine,
    }
  }
  if (kind === 'agent') {
    const type = item.badges.find(badge => isAgentType(item, badge))?.text
    return {
      kind,
      title,
      target: [type ?? '', subject].filter(Boolean).join(' · '),
      full: subject,
      note: '',
      isMachine,
    }
  }
  const target = home !== '' && subject.startsWith(home) ? subject.slice(home.length) : subject
  return { kind, title, target, full: subject.slice(0, 500), note: '', isMachine }
}

const durationMark = /^\d[\d.,]* (ms|s|min|h)\b/

/** The duration has a column; of the rest, verdicts come first. */
function marksOf(item: ViewItem): { duration: string; told: Badge[] } {
  const duration = item.badges.find(badge => badge.tone === 'quiet' && durationMark.test(badge.text))
  const rest = item.badges.filter(
    badge => badge !== duration && badge.text !== 'exit 0' && !isAgentType(item, badge) && !isModel(badge),
  )
  const loud = rest.filter(badge => badge.tone !== 'quiet')
  const quiet = rest.filter(badge => badge.tone === 'quiet' && badge.text.length <= longestMark)
  const told = [...loud, ...quiet].slice(0, mostMarks)
  return { duration: duration?.text ?? '', told }
}

/** A subagent's type stands before what it is to do. */
function isAgentType(item: ViewItem, badge: Badge): boolean {
  return toolKind(titleOf(item)) === 'agent' && badge.tone === 'accent' && badge.text !== 'running'
}

/** Which model went on is told when the call is opened. */
function isModel(badge: Badge): boolean {
  return badge.tone === 'quiet' && /^claude-/.test(badge.text)
}

/** Of a call that started subagents: how many calls they made, and whether it went wrong. */
function useThreadMarks(item: ViewItem): Badge[] | undefined {
  const { head } = useAround()
  const threads = item.body.flatMap(part => (part.type === 'thread' ? [part.thread as string] : []))
  if (threads.length === 0 || !head) return
  const calls = head.threads.reduce((sum, thread) => sum + (threads.includes(thread.id) ? thread.calls : 0), 0)
  const loud = item.badges.filter(badge => badge.tone === 'bad' || badge.tone === 'warn' || badge.text === 'running')
  return [...loud, { text: countOf(calls, 'call'), tone: 'quiet' }]
}
