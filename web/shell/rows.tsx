// Sessions as rows under headings of time, as many as there are: only those on screen are in the page. Used beside a
// session and on Home, which differ in density.

import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ListedSession } from '../../src/server/api/api.ts'
import { countOf } from '../../src/view/words.ts'
import { useKeys } from '../keys.ts'
import { Link } from '../route.ts'
import { MiniThread } from './mini-thread.tsx'
import { costText, projectName, tokensText } from './names.ts'
import { pageSize, type Sessions, useNow } from './sessions.ts'
import { Skeleton } from './states.tsx'
import { deletionText, groupOf, longWhen, shortWhen } from './when.ts'

const headingHeight = 34
const firstTime = 'Looking at all sessions for the first time. From then on the list is there at once.'

export interface SessionRowsProps {
  sessions: Sessions
  /** The one on screen. */
  current?: string
  /** Home's rows: more room, and j and k go through them. */
  isWide?: boolean
  /** What scrolls, where it is not the list itself. */
  scroller?: RefObject<HTMLElement | null>
}

export function SessionRows({ sessions, current, isWide = false, scroller }: SessionRowsProps) {
  const own = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const now = useNow()
  const rowHeight = isWide ? 60 : 48
  const margin = useOffset(list, scroller, sessions.version)
  const headingAt = (at: number) => headingBefore(sessions, at, now)
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
  const { version } = sessions
  useLayoutEffect(() => {
    // Heights change with the rows that came.
    if (version > 0) rows.measure()
  }, [version, rows])
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
      <Skeleton
        rows={8}
        isWaiting={!sessions.isLoaded && sessions.error === undefined}
        says={isWide ? firstTime : ''}
      />
      {isWide ? <RowKeys rows={list} jump={at => rows.scrollToIndex(at)} total={sessions.total} /> : null}
      <div ref={list} className="rows-space" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ key, index, start }) => (
          <div key={key} className="row-place" data-at={index} style={{ transform: `translateY(${start - margin}px)` }}>
            <RowHeading text={headingAt(index)} />
            <SessionRow row={sessions.row(index)} now={now} isWide={isWide} current={current} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** Where the one on screen stands, as far as the list is there; -1 where it is not. */
function placeOf(sessions: Sessions, current: string | undefined): number {
  if (current === undefined || !sessions.isLoaded) return -1
  for (let at = 0; at < Math.min(sessions.total, pageSize); at++) if (sessions.row(at)?.id === current) return at
  return -1
}

/** The heading above a row; undefined where it is the same as that of the row before. */
function headingBefore(sessions: Sessions, at: number, now: number): string | undefined {
  const row = sessions.row(at)
  if (!row) return
  const before = at === 0 ? undefined : sessions.row(at - 1)
  const group = groupOf(row, now)
  if (at > 0 && (!before || groupOf(before, now) === group)) return
  return group
}

/** How far down the list begins in what scrolls. */
function useOffset(
  list: RefObject<HTMLElement | null>,
  scroller: RefObject<HTMLElement | null> | undefined,
  version: number,
) {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      const outer = scroller?.current
      // What stands above the list may change with it.
      if (version < 0 || !outer || !list.current) return
      setOffset(list.current.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop)
    }
    measure()
    window.addEventListener('resize', measure)
    return () => window.removeEventListener('resize', measure)
  }, [list, scroller, version])
  return offset
}

function RowHeading({ text }: { text: string | undefined }) {
  return text === undefined ? null : <h2 className="row-heading">{text}</h2>
}

interface RowProps {
  row: ListedSession | undefined
  now: number
  isWide: boolean
  current: string | undefined
}

function SessionRow({ row, now, isWide, current }: RowProps) {
  if (!row) return <div className="session-row waiting" aria-hidden="true" />
  const marks = row.id === current ? { 'aria-current': 'page' as const } : {}
  return (
    <Link className="session-row" route={{ screen: 'transcript', session: row.id, query: {} }} {...marks}>
      <span className="row-title" title={row.title}>
        {row.isLive ? <span className="live" role="img" aria-label="live" /> : null}
        {row.title || 'Without a title'}
      </span>
      <time className="row-when" {...(row.endedAt ? { dateTime: row.endedAt } : {})} title={longWhen(row.endedAt)}>
        {row.isLive ? 'now' : shortWhen(row.endedAt, now)}
      </time>
      <span className="row-facts">
        <span title={row.project}>{projectName(row.project) || row.slug}</span>
        {row.gitBranch ? <span className="row-branch">{row.gitBranch}</span> : null}
        {row.subagents > 0 ? <span>{countOf(row.subagents, 'subagent')}</span> : null}
        {row.calls > 0 ? <span>{countOf(row.calls, 'call')}</span> : <span>{countOf(row.prompts, 'prompt')}</span>}
        {row.compactions > 0 ? <span>{countOf(row.compactions, 'compaction')}</span> : null}
        {row.errors > 0 ? <span className="row-bad">✗ {row.errors}</span> : null}
        <Keeping row={row} now={now} />
      </span>
      {isWide ? <Cost row={row} /> : null}
      {isWide ? <MiniThread counts={row} /> : null}
    </Link>
  )
}

function Keeping({ row, now }: { row: ListedSession; now: number }) {
  if (!row.onDisk) {
    return (
      <>
        <span className="row-gone">source deleted</span>
        {row.isKept ? <span>kept in the archive</span> : null}
      </>
    )
  }
  const text = deletionText(row.deletedOn, now)
  if (text === undefined) return null
  return (
    <>
      <span className="row-gone">{text}</span>
      <span>{row.isKept ? 'kept' : 'not kept'}</span>
    </>
  )
}

function Cost({ row }: { row: ListedSession }) {
  return (
    <span className="row-cost">
      {row.tokens > 0 ? <span>{tokensText(row.tokens)} tok</span> : null}
      {row.costUSD === undefined ? null : <span>{costText(row.costUSD)}</span>}
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
