// The transcript of a session: filters, list, thread, panes and the keys that move through them. It puts the parts together;
// the list, the items and the panes are in their own files.

import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { countText } from '../../src/base/format.ts'
import { eventKinds } from '../../src/model/event.ts'
import { emptyOutline, type Outline, type SessionHead } from '../../src/view/reading.ts'
import type { ViewItem, ViewKind } from '../../src/view/view.ts'
import { firstLine } from '../../src/view/words.ts'
import { askNewSession } from '../new-session/ask.ts'
import { Said, say } from '../parts/copy.tsx'
import { HomeContext } from '../parts/diff.tsx'
import { Icon } from '../parts/icon.tsx'
import { type Items, useAsync, useHead, useItems, useOutline, useReader, useStore } from '../reader.ts'
import { cameBack, localSession, navigate, routeNow, useRoute } from '../route.ts'
import { Failure, Skeleton } from '../shell/states.tsx'
import { useCursor, useErrors, useTranscriptKeys } from './cursor.ts'
import {
  type Filter,
  FilterBar,
  failedThreads,
  isEverything,
  lowerBound,
  readFilter,
  visibleSlots,
  withSlot,
  writeFilter,
} from './filter.tsx'
import { FindBar, useFindMarks } from './find.tsx'
import { NestedThread } from './items/nested.tsx'
import { useLanding, wordsOf } from './landing.ts'
import { Panes } from './panes.tsx'
import { type Fork, pathTest, Split, splitsOf, useForks } from './paths.tsx'
import { usePreferences } from './preferences.ts'
import { type ListHandle, useFollow } from './scrolling.ts'
import { type Around, AroundContext, type Cursor, makeRows, OpenItems, type Rows, Spots, slotsOfKey } from './state.ts'
import { End, Top } from './top.tsx'
import { Transcript } from './transcript.tsx'
import { ViewMenu } from './view-menu.tsx'
import './session.css'
import './bars.css'
import './items/items.css'
import './inspector.css'
import '../parts/parts.css'
import '../parts/code.css'

export default function TranscriptScreen() {
  const route = useRoute()
  const store = useStore()
  const thread = route.query['thread'] || undefined
  const { value: head, error: headError } = useHead()
  const { value: whole, error: outlineError } = useOutline(thread)
  const items = useItems(thread)
  const main = head?.threads.find(one => one.kind === 'main')?.id
  const name = thread ?? main
  const first = useMemo(() => {
    // The version says that slots came.
    if (whole || name === undefined || items.version < 0) return
    return firstOutline(name, slot => store.itemsOf(thread, slot))
  }, [whole, name, items.version, store, thread])
  const error = headError ?? outlineError
  if (error && (!head || !whole)) {
    return <Failure error={error} title="The session could not be read" retry={() => store.retry()} />
  }
  // Who goes somewhere else than to the beginning would see it only to lose it.
  const startsElsewhere = route.query['event'] !== undefined || head?.isLive === true || cameBack()
  const outline = whole ?? (startsElsewhere ? undefined : first)
  if (!head || !outline) return <Skeleton rows={9} isWaiting className="session-skeleton" />
  return (
    <SessionView
      key={outline.thread}
      head={head}
      outline={outline}
      isWhole={whole !== undefined}
      items={items}
      isMain={outline.thread === main}
    />
  )
}

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
  const { thinking, wrap } = usePreferences()
  const filter = useMemo<Filter>(
    () => ({ ...readFilter(show), hidesThinking: !thinking, failedThreads: failedThreads(head.threads) }),
    [show, thinking, head],
  )
  const { forks, isReady } = useForks(isMain ? head : undefined, outline)
  const [asked, setAsked] = useState<number>()
  const rows = useMemo(
    () => makeRows(outline, withSlot(visibleSlots(outline, filter, pathTest(outline, forks, branch)), asked)),
    [outline, filter, forks, branch, asked],
  )
  const [spots] = useState(() => new Spots())
  const above = useAbove(outline, isMain)
  const cursoring = useCursor({ rows, thread: outline.thread, filter, spots, list, place, above })
  const { item, cursor } = cursoring
  const onLand = (landed: Cursor, row: number, words: readonly string[]) => {
    cursoring.set(landed, !isFinding)
    list.current?.landOn(row, landed.key, words)
  }
  const landing = useLanding({
    head,
    outline,
    rows,
    open,
    spots,
    isReady: isReady && isWhole,
    onShow: setAsked,
    onLand,
  })
  const toError = useErrors(cursoring, landing.go, head.counts.errors)
  const follow = useFollow(list, isWhole ? outline.ids.length : 0, head.isLive && isMain, event === undefined)
  useRestoredPlace(list, rows, `${session} ${outline.thread}`, visible[0])
  const found = isFinding ? wordsOf(find.trim()) : []
  const marks = isFinding ? found : wordsOf(query['mark'])
  useFindMarks(place, marks, isFinding ? '.transcript-rows' : '.item[data-marked="true"]')
  const noted = useRef(landing.note)
  noted.current = landing.note
  const looked = item?.id
  useEffect(() => {
    if (looked !== undefined) noted.current(looked)
  }, [looked])
  const finding = makeFinding(setFinding, list)
  const save = useSave()
  const inspect = () => setInspecting(!isInspecting)
  const onError = (direction: 1 | -1) => void toError(direction)
  const uses = { onRaw: setRaw, onError, onFind: finding.start, onInspect: inspect }
  const home = head.project.key
  useTranscriptKeys({ cursoring, rows, open, list, home, raw, ...uses })
  const around = useMemo<Around>(
    () => ({
      session,
      head,
      open,
      spots,
      home,
      showRaw: setRaw,
      Nested: NestedThread,
    }),
    [session, head, open, spots, home],
  )
  const splits = useMemo(() => splitsOf(forks), [forks])
  const onVisible = (from: number, to: number, isAtEnd: boolean) => {
    setVisible(before => (before[0] === from && before[1] === to ? before : [from, to]))
    follow.seen(isAtEnd)
  }
  const bars = {
    filter,
    outline,
    shown: rows.slots.length,
    ...(isMain && { counts: head.counts }),
    ...(isMain && head.inherited && { inherited: head.inherited }),
  }
  return (
    <AroundContext value={around}>
      <HomeContext value={home}>
        <div className="session" ref={place} data-wrap={wrap}>
          <div className="session-main">
            <FilterBar
              {...bars}
              onChange={showFilter}
              tools={
                <>
                  <ViewMenu
                    open={open}
                    onSave={format => void save(format)}
                    onRepair={session === localSession ? undefined : () => askNewSession({ kind: 'repair', session })}
                  />
                  <button
                    type="button"
                    className="tool-button"
                    title="Find in this session (f)"
                    onClick={finding.start}
                  >
                    <Icon name="search" /> <span>Find</span>
                  </button>
                  <button
                    type="button"
                    className="tool-button inspect-button"
                    title="About this event (i)"
                    onClick={inspect}
                  >
                    <Icon name="info" /> <span>Details</span>
                  </button>
                </>
              }
            />
            {isFinding ? (
              <FindBar
                text={find}
                onText={finding.look}
                onClose={finding.stop}
                here={cursoring.here}
                onGo={hit => landing.go({ event: hit.event, place: hit, words: found })}
              />
            ) : null}
            <Transcript
              {...{ rows, items, filter, open, onVisible }}
              handle={list}
              thread={outline.thread}
              top={<Top head={head} session={session} thread={head.threads.find(one => one.id === outline.thread)} />}
              end={isWhole ? <End head={head} isMain={isMain} empty={emptyWords(rows, outline, filter)} /> : <More />}
              after={slot => <SplitAt {...{ slot, outline, branch }} forks={splits.get(slot)} />}
              onSelect={next => {
                spots.mark(undefined)
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
            slot={cursor ? slotsOfKey(cursor.key)[0] : visible[1]}
            onJump={slot => list.current?.land(slot)}
            onRaw={setRaw}
            onInspect={setInspecting}
          />
        </div>
      </HomeContext>
    </AroundContext>
  )
}

export function NewBelow({ count, onClick }: { count: number; onClick(): void }) {
  return (
    <button type="button" className="new-below no-print" onClick={onClick}>
      <Icon name="down" /> {countText(count)} new below
    </button>
  )
}

/** While only the beginning is loaded. */
export function More() {
  return (
    <p className="session-end" role="status">
      Reading the rest…
    </p>
  )
}

/** Why there is nothing to see; empty where there is something. */
export function emptyWords(rows: Rows, outline: Outline, filter: Filter): string {
  if (rows.slots.length > 0) return ''
  if (outline.ids.length === 0) return 'This session is empty.'
  if (!isEverything(filter)) return 'Nothing matches these filters.'
  return 'No prompt and no answer, only what Claude Code wrote down for itself: “System” shows it.'
}

/** Filters go into the address; the place stays. */
export function showFilter(filter: Filter): void {
  const route = routeNow()
  navigate({ ...route, query: { ...route.query, show: writeFilter(filter) } }, { replace: true })
}

/** Saves the session as a document, made by the same renderer as `clew show --format`. */
function useSave(): (format: 'html' | 'md') => Promise<void> {
  const reader = useReader()
  return async format => {
    try {
      const { name, text } = await reader.document(format)
      const href = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }))
      const link = document.createElement('a')
      link.href = href
      link.download = name
      link.click()
      setTimeout(() => URL.revokeObjectURL(href), 60_000)
    } catch (error) {
      say(error instanceof Error ? error.message : 'The document could not be made')
    }
  }
}

export interface Finding {
  start(): void
  stop(): void
  look(text: string): void
}

export function makeFinding(setFinding: (isFinding: boolean) => void, list: RefObject<ListHandle | null>): Finding {
  const put = (find: string) => {
    const route = routeNow()
    navigate({ ...route, query: { ...route.query, find } }, { replace: true })
  }
  return {
    start: () => {
      setFinding(true)
      document.querySelector<HTMLInputElement>('.find-bar input')?.select()
    },
    stop: () => {
      setFinding(false)
      put('')
      list.current?.focus()
    },
    look: put,
  }
}

/** The slots that lead to the thread on screen from the main one. */
function useAbove(outline: Outline, isMain: boolean): readonly number[] {
  const reader = useReader()
  const first = isMain ? undefined : outline.ids[0]
  const { value } = useAsync(async () => (first === undefined ? null : reader.placeOf(first)), [reader, first])
  return value?.thread === outline.thread ? value.inside.map(({ slot }) => slot) : top
}

const top: readonly number[] = []

export interface SplitAtProps {
  forks: readonly Fork[] | undefined
  slot: number
  outline: Outline
  branch: string | undefined
}

/** The switch behind a slot where paths begin. */
export function SplitAt({ forks, slot, outline, branch }: SplitAtProps) {
  if (!forks) return null
  const wordsOf = (fork: Fork | undefined) => firstWords(outline, slot, fork?.leaf)
  return <Split forks={forks} chosen={branch} wordsOf={wordsOf} />
}

/** The first prompt of a path behind a slot. */
function firstWords(outline: Outline, slot: number, leaf: string | undefined): string {
  for (const key of Object.keys(outline.prompts)) {
    const at = Number(key)
    if (at > slot && outline.branches[at] === leaf) return outline.prompts[at] ?? ''
  }
  return ''
}

const left = new Map<string, number>()

/** Other filters, another path: what was read stays on screen. Coming back finds the place that was left. */
export function useRestoredPlace(list: RefObject<ListHandle | null>, rows: Rows, name: string, first: number): void {
  const before = useRef<{ rows: Rows; first: number }>(undefined)
  useEffect(() => {
    const known = before.current
    if (!known) {
      const slot = left.get(name)
      if (slot !== undefined && cameBack() && routeNow().query['event'] === undefined) list.current?.land(slot)
    } else if (known.rows !== rows && hasMoved(known.rows, rows, known.first)) {
      list.current?.land(known.first)
    }
    before.current = { rows, first }
    left.set(name, first)
  }, [list, rows, name, first])
}

/** Whether rows before a slot changed; a session that only grew stays where it is. */
function hasMoved(before: Rows, after: Rows, slot: number): boolean {
  return lowerBound(before.slots, slot) !== lowerBound(after.slots, slot)
}

const kinds: Partial<Record<ViewKind, (typeof eventKinds)[number]>> = {
  prompt: 'prompt',
  delegation: 'delegation',
  answer: 'answer',
  thinking: 'answer',
  call: 'answer',
  error: 'api-error',
  compaction: 'compaction',
  summary: 'compact-summary',
  command: 'command',
}

/** Undefined where no slot is there. */
export function firstOutline(thread: string, get: (slot: number) => ViewItem[] | undefined): Outline | undefined {
  const outline = emptyOutline(thread)
  for (let slot = 0; ; slot++) {
    const items = get(slot)
    if (!items) break
    addSlot(outline, slot, items)
  }
  return outline.ids.length === 0 ? undefined : outline
}

function addSlot(outline: Outline, slot: number, items: readonly ViewItem[]): void {
  const first = items[0]
  outline.ids.push(first?.id ?? `slot ${slot}`)
  outline.kinds.push(eventKinds.indexOf(kinds[first?.kind ?? 'notice'] ?? 'notice'))
  outline.at.push(first?.at ? Date.parse(first.at) : null)
  outline.turns.push(first?.turn ?? -1)
  const text = first?.body.find(part => part.type === 'markdown')?.text
  if (first?.kind === 'prompt' && text !== undefined) outline.prompts[slot] = firstLine(text).slice(0, 160)
  if (items.every(item => item.isQuiet)) outline.quiet.push(slot)
}
