// One thread of a session on screen: filters, list, thread, panes, and the keys that move through them.

import { useEffect, useMemo, useRef, useState } from 'react'
import type { Outline, SessionHead } from '../../src/view/reading.ts'
import { Said } from '../parts/copy.tsx'
import { FindContext } from '../parts/find-context.ts'
import { type Items, useReader } from '../reader.ts'
import { useRoute } from '../route.ts'
import { readFilter, visibleSlots } from './filter.ts'
import { FilterBar } from './filter-bar.tsx'
import { FindBar } from './find.tsx'
import { useFindMarks } from './find-marks.ts'
import { NestedThread } from './items/nested.tsx'
import { Panes } from './panes.tsx'
import { pathTest, splitsOf } from './paths.ts'
import { makeRows } from './rows.ts'
import { type Around, AroundContext, itemKey, OpenItems } from './state.ts'
import { End, Top } from './top.tsx'
import { type ListHandle, Transcript } from './transcript.tsx'
import { useCursor } from './use-cursor.ts'
import { useFollow } from './use-follow.ts'
import { useForks } from './use-forks.ts'
import { useLanding } from './use-landing.ts'
import { useTranscriptKeys } from './use-transcript-keys.ts'
import { emptyWords, goTo, More, makeFinding, NewBelow, SplitAt, showFilter, useKeptPlace } from './view-parts.tsx'

export interface SessionViewProps {
  head: SessionHead
  outline: Outline
  /** False while only the first slots are known. */
  isWhole: boolean
  items: Items
  isMain: boolean
}

export function SessionView({ head, outline, isWhole, items, isMain }: SessionViewProps) {
  const { id: session } = useReader()
  const { query } = useRoute()
  const list = useRef<ListHandle>(null)
  const place = useRef<HTMLDivElement>(null)
  const [open] = useState(() => new OpenItems())
  const [raw, setRaw] = useState<string>()
  const [isInspecting, setInspecting] = useState(false)
  const [isFinding, setFinding] = useState(query['find'] !== undefined)
  const [visible, setVisible] = useState<[number, number]>([0, 0])
  const { show, find = '', event, branch } = query
  const filter = useMemo(() => readFilter(show), [show])
  const { forks, isReady } = useForks(isMain ? head : undefined, outline)
  const rows = useMemo(
    () => makeRows(outline, visibleSlots(outline, filter, pathTest(outline, forks, branch))),
    [outline, filter, forks, branch],
  )
  const cursoring = useCursor({ rows, items, filter, list, place })
  const { item, cursor } = cursoring
  const onLand = ({ slot, event: landed }: { slot: number; event: string }) => {
    const n = items.get(slot)?.findIndex(one => one.id === landed) ?? 0
    if (outline.calls[slot]) for (let at = 0; at < 3; at++) open.set(itemKey('', slot, at), true)
    cursoring.set({ slot, n: Math.max(0, n) }, true)
    list.current?.land(slot)
  }
  const landing = useLanding({ head, outline, rows, isReady: isReady && isWhole, onLand })
  const follow = useFollow(list, isWhole ? outline.ids.length : 0, head.isLive && isMain, event === undefined)
  useKeptPlace(list, rows, `${session} ${outline.thread}`, visible[0])
  const needle = isFinding ? find.trim().toLowerCase() : ''
  useFindMarks(place, needle, `${visible} ${items.version}`)
  const noted = useRef(landing.note)
  noted.current = landing.note
  const looked = item?.id
  useEffect(() => {
    if (looked !== undefined) noted.current(looked)
  }, [looked])
  const finding = makeFinding(setFinding, list)
  const inspect = () => setInspecting(!isInspecting)
  useTranscriptKeys({ cursoring, rows, open, list, onRaw: setRaw, raw, onFind: finding.start, onInspect: inspect })
  const around = useMemo<Around>(
    () => ({
      session,
      head,
      open,
      home: head.project.cwd ? `${head.project.cwd}/` : '',
      showRaw: setRaw,
      Nested: NestedThread,
    }),
    [session, head, open],
  )
  const splits = useMemo(() => splitsOf(forks), [forks])
  const onVisible = (from: number, to: number, isAtEnd: boolean) => {
    setVisible(before => (before[0] === from && before[1] === to ? before : [from, to]))
    follow.seen(isAtEnd)
  }
  const bars = { filter, outline, shown: rows.slots.length }
  return (
    <AroundContext value={around}>
      <FindContext value={needle}>
        <div className="session" ref={place}>
          <div className="session-main">
            <FilterBar {...bars} onChange={showFilter} onFind={finding.start} onInspect={inspect} />
            {isFinding ? (
              <FindBar
                text={find}
                onText={finding.look}
                onClose={finding.stop}
                onGo={found => goTo(found, outline, open, list.current, cursoring.set)}
              />
            ) : null}
            <Transcript
              {...{ rows, items, filter, open, cursor, onVisible }}
              handle={list}
              thread={outline.thread}
              marked={landing.marked}
              top={<Top head={head} session={session} thread={head.threads.find(one => one.id === outline.thread)} />}
              end={isWhole ? <End head={head} isMain={isMain} empty={emptyWords(rows, outline)} /> : <More />}
              after={slot => <SplitAt {...{ slot, outline, branch }} forks={splits.get(slot)} />}
              onSelect={next => {
                landing.clear()
                cursoring.set(next)
              }}
            />
            {follow.newBelow > 0 ? (
              <NewBelow count={follow.newBelow} onClick={() => list.current?.land('end')} />
            ) : null}
            <Said />
          </div>
          <Panes
            {...{ head, outline, session, item, visible, raw, isInspecting }}
            slot={cursor?.slot ?? visible[1]}
            onJump={slot => list.current?.land(slot)}
            onRaw={setRaw}
            onInspect={setInspecting}
          />
        </div>
      </FindContext>
    </AroundContext>
  )
}
