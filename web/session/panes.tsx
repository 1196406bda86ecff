// The panes next to the transcript: the thread, the inspector, and sheets for the raw record and, on narrow screens, for the
// inspector.

import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { countText, sizeText } from '../../src/base/format.ts'
import type { Outline, RawRecord, SessionHead } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'
import { useKeys } from '../keys.ts'
import { Code } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Icon } from '../parts/icon.tsx'
import { useAsync, useReader } from '../reader.ts'
import { Failure } from '../shell/states.tsx'
import { Inspector } from './inspector.tsx'
import { outlineNow } from './state.ts'

const ThreadRail = lazy(() => import('../thread/rail.tsx'))

export interface PanesProps {
  head: SessionHead
  outline: Outline
  session: string
  item: ViewItem | undefined
  slot: number | undefined
  visible: [from: number, to: number]
  raw: string | undefined
  isInspecting: boolean
  onJump(slot: number): void
  onRaw(event: string | undefined): void
  onInspect(isInspecting: boolean): void
}

export function Panes(props: PanesProps) {
  const { head, outline, session, item, slot, visible, raw, isInspecting, onJump, onRaw, onInspect } = props
  const isWide = useWide()
  const now = useMemo(() => outlineNow(outline, head.isLive), [outline, head.isLive])
  const inspector = <Inspector {...{ head, session, item, slot }} thread={outline.thread} />
  return (
    <>
      <div className="rail-place no-print">
        <Suspense fallback={null}>
          <ThreadRail head={head} outline={now} visible={[visible[0], visible[1] + 1]} onJump={onJump} />
        </Suspense>
      </div>
      {isWide ? (
        <aside className="inspector no-print" aria-label="Details">
          {inspector}
        </aside>
      ) : null}
      {isInspecting && !isWide ? (
        <Sheet title="Details" onClose={() => onInspect(false)}>
          <div className="inspector-sheet">{inspector}</div>
        </Sheet>
      ) : null}
      {raw === undefined ? null : <RawSheet event={raw} onClose={() => onRaw(undefined)} />}
    </>
  )
}

export interface SheetProps {
  title: string
  onClose(): void
  children: ReactNode
}

export function Sheet({ title, onClose, children }: SheetProps) {
  const sheet = useRef<HTMLElement>(null)
  useKeys({ Esc: ['close', onClose] }, title)
  useEffect(() => {
    const before = document.activeElement
    sheet.current?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <section className="sheet no-print" ref={sheet} tabIndex={-1} role="dialog" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="tool-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="sheet-body">{children}</div>
    </section>
  )
}

const query = '(min-width: 1100px)'

export function useWide(): boolean {
  return useSyncExternalStore(
    listener => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => window.matchMedia(query).matches,
  )
}

export function RawSheet({ event, onClose }: { event: string; onClose(): void }) {
  const reader = useReader()
  const { value, error, reload } = useAsync(() => reader.raw(event), [reader, event])
  return (
    <Sheet title="Raw record" onClose={onClose}>
      {error ? <Failure error={error} title="The record could not be read" retry={reload} /> : null}
      {value ? <RawText record={value} /> : null}
    </Sheet>
  )
}

function RawText({ record }: { record: RawRecord }) {
  const [isSetOut, setSetOut] = useState(true)
  const setOut = useMemo(() => pretty(record), [record])
  const text = isSetOut && setOut !== undefined ? setOut : record.text
  return (
    <>
      <Facts
        facts={[
          { name: 'file', value: record.file },
          { name: 'line', value: countText(record.line) },
          { name: 'offset', value: countText(record.offset) },
          { name: 'size', value: `${sizeText(record.bytes)}${record.isCut ? ', cut here' : ''}` },
          { name: 'event', value: record.event },
        ]}
      />
      <p className="raw-tools">
        {setOut === undefined ? null : (
          <button type="button" className="tool-button" onClick={() => setSetOut(!isSetOut)}>
            {isSetOut ? 'Raw' : 'Formatted'}
          </button>
        )}
        <CopyButton text={() => record.text} what="record" label="Copy the line" />
      </p>
      <Code key={record.event} text={text} language="json" what="record" />
    </>
  )
}

/** A record that is no JSON, or nested too deep, is shown as it is. */
function pretty(record: RawRecord): string | undefined {
  if (record.isCut) return
  try {
    return JSON.stringify(JSON.parse(record.text), null, 2)
  } catch {
    return
  }
}
