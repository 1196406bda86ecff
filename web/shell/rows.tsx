// Sessions as rows under headings of time; only those on screen are in the page. On Home and in the pane next to a session.

import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { countOf, countText, moneyText } from '../../src/base/format.ts'
import { totalTokens } from '../../src/model/usage.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { PicturedRow } from '../../src/server/api/api.ts'
import { certaintyMarks, certaintyOf } from '../../src/view/words.ts'
import { useKeys } from '../keys.ts'
import { Icon } from '../parts/icon.tsx'
import { cameBack, Link } from '../route.ts'
import { deletionText, groupOf, longWhen, shortWhen, tokensText, whenAlone, whenInGroup } from './format.ts'
import { pageSize, type Sessions, useNow, useSessions } from './sessions.ts'
import { Skeleton } from './states.tsx'

const headingHeight = 34

export type Headings = 'time' | 'project' | 'none'

export interface SessionRowsProps {
  sessions: Sessions
  /** The one on screen. */
  current?: string
  /** Home's rows: more space, and j and k go through them. */
  isWide?: boolean
  /** What the headings say; `none` where the order is another. */
  headings?: Headings
  /** What scrolls, where it is not the list itself. */
  scroller?: RefObject<HTMLElement | null>
}

export function SessionRows({ sessions, current, isWide = false, headings = 'time', scroller }: SessionRowsProps) {
  const own = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const now = useNow()
  const rowHeight = isWide ? 60 : 48
  const { query, version } = sessions
  const margin = useOffset(list, scroller, query, version)
  const headingAt = (at: number) => headingBefore(sessions, at, row => headingOf(row, headings, now))
  const rows = useVirtualizer({
    count: sessions.total,
    getScrollElement: () => (scroller ?? own).current,
    estimateSize: at => rowHeight + (headingAt(at) === undefined ? 0 : headingHeight),
    scrollMargin: margin,
    overscan: 6,
  })
  const shown = rows.getVirtualItems()
  const from = shown[0]?.index ?? 0
  const to = (shown.at(-1)?.index ?? 0) + 1
  useLayoutEffect(() => {
    // Heights change with the rows that came, and with what their headings say.
    if (query && headings && version > 0) rows.measure()
  }, [query, headings, version, rows])
  useEffect(() => {
    if (sessions.isLoaded) sessions.want(from, to)
  })
  const place = placeOf(sessions, current)
  useEffect(() => {
    // A session that was opened by its address is shown in the list too.
    if (place >= 0) rows.scrollToIndex(place, { align: 'auto' })
  }, [place, rows])
  return (
    <div className={isWide ? 'rows wide' : 'rows'} ref={own} data-scrolls={scroller === undefined}>
      <Skeleton rows={8} isWaiting={!sessions.isLoaded && sessions.error === undefined} />
      {isWide ? <RowKeys rows={list} jump={at => rows.scrollToIndex(at)} total={sessions.total} /> : null}
      <div ref={list} className="rows-space" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ key, index, start }) => (
          <div key={key} className="row-place" data-at={index} style={{ transform: `translateY(${start - margin}px)` }}>
            <RowHeading text={headingAt(index)} />
            <SessionRow row={sessions.row(index)} now={now} isWide={isWide} headings={headings} current={current} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** The position of the one on screen; -1 where it is not loaded. */
function placeOf(sessions: Sessions, current: string | undefined): number {
  if (current === undefined || !sessions.isLoaded) return -1
  for (let at = 0; at < Math.min(sessions.total, pageSize); at++) if (sessions.row(at)?.id === current) return at
  return -1
}

function headingOf(row: PicturedRow, headings: Headings, now: number): string | undefined {
  if (headings === 'project') return visibleLine(row.project.name)
  return headings === 'time' ? groupOf(row.lastUsed ?? row, now) : undefined
}

/** The heading above a row; undefined where it is that of the row before, or the row is with its family. */
export function headingBefore(
  sessions: Pick<Sessions, 'row'>,
  at: number,
  heading: (row: PicturedRow) => string | undefined,
): string | undefined {
  const row = sessions.row(at)
  if (!row || row.follows !== undefined) return
  const before = headAt(sessions, at - 1)
  const own = heading(row)
  return at > 0 && (!before || heading(before) === own) ? undefined : own
}

/** The row itself, or the one that it is listed below. */
function headAt(sessions: Pick<Sessions, 'row'>, at: number): PicturedRow | undefined {
  const row = at < 0 ? undefined : sessions.row(at)
  if (row?.follows === undefined) return row
  for (let above = at - 1; above >= 0; above--) {
    const one = sessions.row(above)
    if (!one || one.id === row.follows) return one
  }
  return row
}

/** How far down the list begins in what scrolls. */
function useOffset(
  list: RefObject<HTMLElement | null>,
  scroller: RefObject<HTMLElement | null> | undefined,
  query: object,
  version: number,
) {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      const outer = scroller?.current
      // What is above the list may change with it.
      if (!query || version < 0 || !outer || !list.current) return
      setOffset(list.current.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop)
    }
    measure()
    window.addEventListener('resize', measure)
    return () => window.removeEventListener('resize', measure)
  }, [list, scroller, query, version])
  return offset
}

function RowHeading({ text }: { text: string | undefined }) {
  return text === undefined ? null : <h2 className="row-heading">{text}</h2>
}

interface RowProps {
  row: PicturedRow | undefined
  now: number
  isWide: boolean
  headings: Headings
  current: string | undefined
}

/** Which came from which, and how, is said by the session itself. */
const familyTitle = 'Sessions that share history: forked, resumed or copied from each other'

export function SessionRow({ row, now, isWide, headings, current }: RowProps) {
  if (!row) return <div className="session-row waiting" aria-hidden="true" />
  const marks = row.id === current ? { 'aria-current': 'page' as const } : {}
  return (
    <Link
      className={row.follows === undefined ? 'session-row' : 'session-row row-related'}
      route={{ screen: 'transcript', session: row.id, query: {} }}
      {...marks}
    >
      <span className="row-title" title={visibleLine(row.title)}>
        {row.follows === undefined ? null : (
          <>
            <Icon name="link" className="row-related-mark" />
            <span className="unseen">same history as the session above: </span>
          </>
        )}
        {row.live ? <span className="live" role="img" aria-label="live" /> : null}
        {visibleLine(row.title) || 'Untitled'}
      </span>
      <time className="row-when" {...(row.endedAt ? { dateTime: row.endedAt } : {})} title={longWhen(row.endedAt)}>
        {row.live ? 'now' : whenOf(row, headings, now, isWide)}
      </time>
      <span className="row-about">
        <span className="row-facts">
          {headings === 'project' ? null : (
            <span title={visibleLine(row.projectKey)}>{visibleLine(row.project.name)}</span>
          )}
          {row.gitBranch ? <span className="row-branch">{visibleLine(row.gitBranch)}</span> : null}
          {row.setAside !== undefined ? <span title="archived in Claude Code">set aside</span> : null}
          {row.tag ? <span>#{visibleLine(row.tag)}</span> : null}
          {row.subagents > 0 ? <span>{countOf(row.subagents, 'subagent')}</span> : null}
          {row.toolCalls > 0 ? <span>{countOf(row.toolCalls, 'call')}</span> : null}
          {row.toolCalls === 0 && row.prompts > 0 ? <span>{countOf(row.prompts, 'prompt')}</span> : null}
          {row.family !== undefined && row.follows === undefined ? (
            <span title={familyTitle}>{countText(row.family - 1)} related</span>
          ) : null}
          {row.compactions > 0 ? <span>{countOf(row.compactions, 'compaction')}</span> : null}
          <ArchiveFact row={row} now={now} />
        </span>
        {row.errors > 0 ? (
          <span className="row-bad" title={`${row.errors} failed`}>
            ✗ {row.errors}
          </span>
        ) : null}
      </span>
      {isWide ? <Cost row={row} /> : null}
      {isWide && row.marks ? <MiniThread row={row} marks={row.marks} /> : null}
    </Link>
  )
}

/** What the heading above says is left out. */
function whenOf({ endedAt, follows, lastUsed }: PicturedRow, headings: Headings, now: number, isWide: boolean): string {
  if (headings === 'time' && follows === undefined && lastUsed === undefined) return whenInGroup(endedAt, now, !isWide)
  return isWide ? whenAlone(endedAt, now) : shortWhen(endedAt, now)
}

function ArchiveFact({ row, now }: { row: PicturedRow; now: number }) {
  if (!row.onDisk) {
    return (
      <>
        <span className="row-gone">source deleted</span>
        {row.archived ? <span>in the archive</span> : null}
      </>
    )
  }
  const text = deletionText(row.deletedOn, now)
  if (text === undefined) return null
  return (
    <>
      <span className="row-gone">{text}</span>
      <span>{row.archived ? 'archived' : 'not archived'}</span>
    </>
  )
}

function Cost({ row }: { row: PicturedRow }) {
  const tokens = totalTokens(row.usage)
  const certainty = certaintyOf({ isPartial: !row.usage.outputFinal })
  return (
    <span className="row-cost">
      {tokens > 0 ? (
        <span>
          {certaintyMarks[certainty.tokens]}
          {tokensText(tokens)} tok
        </span>
      ) : null}
      {row.costUSD === undefined ? null : (
        <span>
          {certaintyMarks[certainty.cost]}
          {moneyText(row.costUSD)}
        </span>
      )}
    </span>
  )
}

/** j and k go from row to row, also to those that are not in the page yet. */
function RowKeys({
  rows,
  jump,
  total,
}: {
  rows: RefObject<HTMLDivElement | null>
  jump(at: number): void
  total: number
}) {
  const step = (by: number) => {
    const held = document.activeElement?.closest('[data-at]')
    const at = held instanceof HTMLElement ? Number(held.dataset['at']) + by : 0
    if (at < 0 || at >= total) return
    jump(at)
    focusRow(rows, at, 10)
  }
  useKeys({ j: ['next session', () => step(1)], k: ['previous session', () => step(-1)] }, 'Sessions')
  return null
}

function focusRow(rows: RefObject<HTMLDivElement | null>, at: number, tries: number): void {
  const link = rows.current?.querySelector<HTMLElement>(`[data-at="${at}"] a`)
  if (link) link.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusRow(rows, at, tries - 1))
}

const all = {}

export function SessionPane({ current }: { current: string }) {
  const sessions = useSessions(all)
  return (
    <aside className="pane" aria-label="Sessions">
      <Link className="pane-find" route={{ screen: 'search', query: {} }}>
        <span>Search everything</span>
        <kbd>/</kbd>
      </Link>
      <SessionRows sessions={sessions} current={current} />
    </aside>
  )
}

const width = 148
const middle = 15
const shortest = 22
const start = 4

type Marks = NonNullable<PicturedRow['marks']>

/** Thousands of calls still fit: each ten times as many adds the same length. */
export function threadLength(calls: number): number {
  return Math.min(width - 6, shortest + Math.log10(1 + Math.max(0, calls)) * 38)
}

/** Where along the line things happened; those that would be drawn over each other are one. */
export function placesOn(thousandths: readonly number[], length: number, apart: number): number[] {
  const places: number[] = []
  for (const one of thousandths) {
    const x = Math.round(start + (one / 1000) * length)
    if (places.length === 0 || x - (places.at(-1) ?? 0) >= apart) places.push(x)
  }
  return places
}

/** The session's thread in small: a knot for each prompt, a loop for each subagent, each where it was. */
export function MiniThread({ row, marks }: { row: PicturedRow; marks: Marks }) {
  const length = threadLength(row.toolCalls)
  const loops = marks.subagents.map(([from, to], at) => ({ at, path: loopOver(from, to, length, at) }))
  return (
    <svg
      className="mini-thread"
      width={width}
      height="30"
      viewBox={`0 0 ${width} 30`}
      role="img"
      aria-label={words(row)}
    >
      <path className="mini-line" d={`M${start} ${middle}H${start + length}`} />
      {loops.map(({ at, path }) => (
        <path key={at} className="mini-loop" style={{ stroke: `var(--agent-${(at % 8) + 1})` }} d={path} />
      ))}
      {placesOn(marks.failures, length, 2).map(x => (
        <path key={x} className="mini-fail" d={`M${x} ${middle + 2}v6`} />
      ))}
      {placesOn(marks.prompts, length, 3).map(x => (
        <circle key={x} className="mini-knot" cx={x} cy={middle} r="2.6" />
      ))}
      {placesOn(marks.compactions, length, 4).map(x => (
        <path key={x} className="mini-seam" d={`M${x - 3} ${middle - 4}l6 8m-6 0 6-8`} />
      ))}
    </svg>
  )
}

/** Out where it began and back where it ended, by turns higher and lower. */
function loopOver(from: number, to: number, length: number, at: number): string {
  const height = at % 2 === 0 ? -13 : -8
  const left = start + (from / 1000) * length
  const right = Math.max(left + 6, start + (to / 1000) * length)
  const bend = Math.min(6, (right - left) / 4)
  const y = middle + height
  return `M${left} ${middle}C${left + bend} ${y} ${right - bend} ${y} ${right} ${middle}`
}

type Counts = Pick<PicturedRow, 'prompts' | 'toolCalls' | 'subagents' | 'compactions' | 'errors'>

function words({ prompts, toolCalls, subagents, compactions, errors }: Counts): string {
  const all = [
    countOf(prompts, 'prompt'),
    countOf(toolCalls, 'call'),
    subagents > 0 ? countOf(subagents, 'subagent') : '',
    compactions > 0 ? countOf(compactions, 'compaction') : '',
    errors > 0 ? `${errors} failed` : '',
  ]
  return all.filter(text => text !== '').join(', ')
}

interface Left {
  top: number
  href: string | null
}

const places = new Map<string, Left>()
const mostTries = 20

/** `name`: of the list, one for the window. */
export function useReturn(scroller: RefObject<HTMLElement | null>, name: string): void {
  useLayoutEffect(() => {
    const outer = scroller.current
    if (!outer) return
    const left = places.get(name)
    if (left && cameBack()) comeBack(outer, left, mostTries)
    const remember = () => {
      const held = outer.contains(document.activeElement) ? document.activeElement : null
      places.set(name, { top: outer.scrollTop, href: held?.getAttribute('href') ?? null })
    }
    outer.addEventListener('scroll', remember, { passive: true })
    outer.addEventListener('focusin', remember)
    return () => {
      outer.removeEventListener('scroll', remember)
      outer.removeEventListener('focusin', remember)
    }
  }, [scroller, name])
}

/** What the list shows may take a moment to be there again. */
function comeBack(outer: HTMLElement, left: Left, tries: number): void {
  outer.scrollTop = left.top
  const links = [...outer.querySelectorAll<HTMLElement>('a[href]')]
  const link = left.href === null ? undefined : links.find(one => one.getAttribute('href') === left.href)
  link?.focus({ preventScroll: true })
  const isThere = Math.abs(outer.scrollTop - left.top) < 2 && (left.href === null || link !== undefined)
  if (!isThere && tries > 0 && outer.isConnected) requestAnimationFrame(() => comeBack(outer, left, tries - 1))
}
