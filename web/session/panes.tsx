// What stands beside the transcript: the thread, the inspector, and sheets for the raw record and, where there is no room,
// the inspector.

import { lazy, Suspense } from 'react'
import type { Outline, SessionHead } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'
import { Inspector } from './inspector/inspector.tsx'
import { RawSheet } from './items/raw.tsx'
import { Sheet } from './sheet.tsx'
import { useWide } from './use-wide.ts'

const ThreadRail = lazy(() => import('../thread/rail.tsx'))

export interface PanesProps {
  head: SessionHead
  outline: Outline
  session: string
  item: ViewItem | undefined
  slot: number
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
  const inspector = <Inspector {...{ head, session, item, slot }} thread={outline.thread} />
  return (
    <>
      <div className="rail-place no-print">
        <Suspense fallback={null}>
          <ThreadRail head={head} outline={outline} visible={[visible[0], visible[1] + 1]} onJump={onJump} />
        </Suspense>
      </div>
      {isWide ? (
        <aside className="inspector no-print" aria-label="About this place">
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
