// One item of a transcript: prompts and answers, tool calls on one line until opened, and quiet lines for what Claude Code
// itself wrote; with its plain text to copy. The parts of an item are rendered in body.tsx and web/parts.

import { memo, type ReactNode, useMemo, useSyncExternalStore } from 'react'
import { durationText, moneyText } from '../../../src/base/format.ts'
import { visibleLine } from '../../../src/render/safe-text.ts'
import type { HeadThread, TurnFacts } from '../../../src/view/reading.ts'
import type { Badge, ViewItem, ViewPart } from '../../../src/view/view.ts'
import { firstLine } from '../../../src/view/words.ts'
import { askNewSession, forkAt } from '../../new-session/ask.ts'
import { group } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { patchText } from '../../parts/diff.tsx'
import { BadgeMark, keyed, TimeMark } from '../../parts/facts.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { WordsContext } from '../../parts/text.tsx'
import { toolIcon } from '../../parts/tool-kind.ts'
import { hrefOf, routeNow } from '../../route.ts'
import { clockWithSeconds, modelName, tokensText } from '../../shell/format.ts'
import { callsText } from '../../thread/words.ts'
import { subjectOf, titleOf, whyUnlogged } from '../filter.tsx'
import { asOfNow, type PainterProps, startsOpen, useAround, useOpen } from '../state.ts'
import { Body } from './body.tsx'
import { type CallLine, lineOf, marksOf, pathHalves } from './call-line.ts'

export interface ItemProps {
  item: ViewItem
  itemKey: string
  /** How many media the event's items before this one hold. */
  mediaFrom: number
  /** Its place: the n-th of a slot. */
  slot: number
  n: number
  isLive: boolean
  /** No one spoke after it. */
  isLast: boolean
  before: ViewItem | undefined
  turn: TurnFacts | undefined
}

const names: Partial<Record<ViewItem['kind'], string>> = { prompt: 'Prompt', answer: 'Answer', thinking: 'Thinking' }

export const Item = memo(function Item(props: ItemProps) {
  const { itemKey, mediaFrom, slot, n, isLive, isLast, before, turn } = props
  const item = useMemo(() => asOfNow(props.item, isLive, isLast), [props.item, isLive, isLast])
  const { spots } = useAround()
  const isCurrent = useSyncExternalStore(spots.subscribe, () => spots.isCurrent(itemKey))
  const isMarked = useSyncExternalStore(spots.subscribe, () => spots.isMarked(itemKey))
  const words = useSyncExternalStore(spots.subscribe, () => spots.wordsIn(itemKey))
  const name = names[item.kind] ?? visibleLine(item.headline).slice(0, 160)
  return (
    <div
      className={`item item-${item.kind}`}
      {...group(name)}
      tabIndex={-1}
      data-key={itemKey}
      data-thread={item.thread}
      data-slot={slot}
      data-n={n}
      data-current={isCurrent}
      data-marked={isMarked}
      data-removed={item.isRemoved === true}
    >
      <WordsContext value={words}>
        <Painter {...{ item, itemKey, mediaFrom }} {...(before ? { before } : {})} {...(turn ? { turn } : {})} />
      </WordsContext>
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
  const { session, head, home, showRaw } = useAround()
  const fork = forkAt(item, session, head)
  const copied = () => copiedFrom(item, home)
  const link = () => {
    const { thread = '' } = routeNow().query
    return window.location.origin + hrefOf({ screen: 'transcript', session, query: { thread, event: item.id } })
  }
  return (
    <div className="item-tools">
      {item.at === null ? null : <time dateTime={item.at}>{clockWithSeconds(new Date(item.at))}</time>}
      <CopyButton text={() => copied().text} what={copied().what} />
      <CopyButton text={link} what="link to this" icon="link" />
      {fork === undefined ? null : (
        <button
          type="button"
          className="tool-button"
          title="Fork from here"
          aria-label="Fork from here"
          onClick={() => askNewSession(fork)}
        >
          <Icon name="branch" />
        </button>
      )}
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

export function Prompt({ item, itemKey, mediaFrom, turn }: PainterProps) {
  return (
    <div className="prompt">
      <div className="prompt-side">
        <Badges item={item} />
        <TurnMark turn={turn} />
        <TimeMark at={item.at} />
      </div>
      <Body item={item} path={itemKey} mediaFrom={mediaFrom} isClamped />
    </div>
  )
}

/** How long the turn took and what it cost. */
function TurnMark({ turn }: { turn: TurnFacts | undefined }) {
  if (turn === undefined) return null
  const { durationMs, costUSD } = turn
  return (
    <>
      {durationMs === undefined || durationMs < 1000 ? null : (
        <span className="turn-mark" title="How long this turn took">
          {durationText(durationMs)}
        </span>
      )}
      {costUSD === undefined || costUSD === 0 ? null : (
        <span className="turn-mark" title="What this turn cost, its subagents included">
          {moneyText(costUSD)}
        </span>
      )}
    </>
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

export function Thinking({ item, itemKey, mediaFrom }: PainterProps) {
  const [isOpen, setOpen] = useOpen(itemKey, false)
  const first = item.body[0]
  const missing = whyUnlogged(item)
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

export function Badges({ item }: { item: Pick<ViewItem, 'badges'> }) {
  if (item.badges.length === 0) return null
  return (
    <span className="badges">
      {keyed(item.badges).map(({ key, value }) => (
        <BadgeMark
          key={key}
          badge={value.text.startsWith('claude-') ? { ...value, text: modelName(value.text) } : value}
        />
      ))}
    </span>
  )
}

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
  const marks = useThreadMarks(item) ?? item.badges
  const content = (
    <>
      <Icon name={isBad ? 'warn' : (icons[item.kind] ?? 'quiet')} className="glyph" />
      <b>{visibleLine(titleOf(item))}</b>
      <span className="target">{visibleLine(subjectOf(item))}</span>
      <Badges item={{ badges: marks }} />
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

export function CallItem({ item, itemKey, mediaFrom, before }: PainterProps) {
  const { home } = useAround()
  const [isOpen, setOpen] = useOpen(itemKey, false)
  const line = lineOf(item, home, before)
  const marks = marksOf(item)
  const shown = useThreadMarks(item) ?? marks.shown
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
        <Target line={line} />
        <span className="took">{marks.duration}</span>
        <span className="outcome">
          {keyed(shown).map(({ key, value }) => (
            <BadgeMark key={key} badge={value} />
          ))}
        </span>
      </button>
      {isOpen ? (
        <div className="opened">
          {item.badges.length > shown.length + 1 || marks.isShortened ? <Badges item={item} /> : null}
          <Body item={item} path={itemKey} mediaFrom={mediaFrom} isClamped={line.kind === 'agent'} />
          {item.body.length === 0 ? <p className="text-note">The log contains nothing more.</p> : null}
        </div>
      ) : null}
    </>
  )
}

function Target({ line }: { line: CallLine }) {
  const { lead, words, target, isPath, part, full } = line
  const [start, end] = isPath ? pathHalves(target) : ['', target]
  return (
    <span className="target" title={full}>
      {lead === '' ? null : <span className="target-lead">{visibleLine(lead)} ·</span>}
      {words === '' ? null : <span className="target-words">{visibleLine(words)}</span>}
      {start === '' ? null : <span className="target-start mono">{visibleLine(start)}</span>}
      {end === '' ? null : <span className={isPath ? 'target-end mono' : 'target-code mono'}>{visibleLine(end)}</span>}
      {part === '' ? null : <span className="target-part mono">{part}</span>}
    </span>
  )
}

function useThreadMarks(item: ViewItem): Badge[] | undefined {
  const { head } = useAround()
  return head && threadMarks(item, head.threads)
}

/** Of a call that started subagents: how it went, how many calls they made and how many of them failed. */
export function threadMarks(item: ViewItem, threads: readonly HeadThread[]): Badge[] | undefined {
  const ids = item.body.flatMap(part => (part.type === 'thread' ? [part.thread as string] : []))
  if (ids.length === 0) return
  const own = threads.filter(({ id }) => ids.includes(id))
  const sumOf = (part: (thread: HeadThread) => number) => own.reduce((sum, thread) => sum + part(thread), 0)
  const errors = sumOf(thread => thread.errors ?? 0)
  const isKnown = own.every(({ calls }) => calls !== undefined)
  const loud = item.badges.filter(badge => badge.tone === 'bad' || badge.tone === 'warn' || badge.text === 'running')
  const failed: Badge[] = errors > 0 ? [{ text: `${errors} failed`, tone: 'bad' }] : []
  return [
    ...loud,
    ...failed,
    { text: callsText(isKnown ? { calls: sumOf(({ calls = 0 }) => calls) } : {}), tone: 'quiet' },
  ]
}

export interface Copied {
  what: string
  text: string
}

const copyNames: Partial<Record<ViewItem['kind'], string>> = {
  prompt: 'prompt',
  delegation: 'prompt',
  answer: 'answer',
  thinking: 'thinking',
  summary: 'summary',
  error: 'error',
}

/** `home`: the project's folder with a slash behind it. */
export function copiedFrom(item: ViewItem, home = ''): Copied {
  const diffs = item.body.filter(part => part.type === 'diff')
  if (diffs.length > 0) return { what: 'patch', text: diffs.map(diff => patchText(diff, home)).join('') }
  const first = item.body[0]
  if (item.kind === 'call' && first?.type === 'code') {
    return { what: first.language === 'bash' ? 'command' : 'code', text: first.text }
  }
  const text = item.body.map(partText).filter(one => one !== '')
  const what = copyNames[item.kind] ?? 'text'
  return { what, text: text.length === 0 ? item.headline : text.join('\n\n') }
}

function partText(part: ViewPart): string {
  switch (part.type) {
    case 'markdown':
    case 'text':
    case 'code':
      return part.text
    case 'diff':
      return patchText(part)
    case 'checklist':
      return part.items.map(item => `- [${item.state === 'done' ? 'x' : ' '}] ${item.text}`).join('\n')
    case 'facts':
      return part.facts.map(fact => `${fact.name}: ${fact.value}`).join('\n')
    default:
      return ''
  }
}
