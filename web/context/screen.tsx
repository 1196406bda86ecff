// Context: what fills the model's window at any answer of the session. One moves along the answers; the chosen one is
// in the address.

import { useEffect, useRef, useState } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { ContextAt, Outline } from '../../src/view/reading.ts'
import { countText } from '../../src/view/words.ts'
import { useKeys } from '../keys.ts'
import { useAsync, useHead, useOutline, useReader, useStore } from '../reader.ts'
import { Link, navigate, routeNow, useRoute } from '../route.ts'
import { Empty, Failure, Skeleton } from '../shell/states.tsx'
import { longWhen } from '../shell/when.ts'
import { ContextPicture } from './picture.tsx'
import { promptOf, type Step, stepAtSlot, stepOfTurn, stepsOf } from './steps.ts'
import { MakeUpTable } from './table.tsx'
import '../charts/charts.css'
import './context.css'

/** How long a place is stayed at before what fills the window there is asked for. */
const settleMs = 90

export default function ContextScreen() {
  const store = useStore()
  const head = useHead()
  const outline = useOutline()
  const error = outline.error ?? head.error
  if (error && !(outline.value && head.value)) {
    return <Failure error={error} title="The context could not be shown" retry={() => store.retry()} />
  }
  if (!outline.value || !head.value) return <Skeleton rows={8} isWaiting className="context" />
  const steps = stepsOf(outline.value, head.value.compactions)
  if (steps.length === 0) {
    return (
      <Empty title="No answer says how large its context was">
        <p>This log has no token counts. The context at the end is estimated from its text:</p>
        <EndOfSession />
      </Empty>
    )
  }
  return <ContextOver outline={outline.value} steps={steps} window={head.value.contextWindow} />
}

function EndOfSession() {
  const reader = useReader()
  const { value } = useAsync(() => reader.contextAt(null), [reader])
  return value ? <MakeUpTable context={value} isOld={false} /> : null
}

interface ContextOverProps {
  outline: Outline
  steps: Step[]
  window: number | undefined
}

function ContextOver({ outline, steps, window }: ContextOverProps) {
  const reader = useReader()
  const at = useStep(outline, steps)
  const isEnd = useRoute().query['event'] === undefined
  const step = steps[at] as Step
  const choose = (to: number) => {
    const route = routeNow()
    const event = steps[to]?.event
    if (event !== undefined) navigate({ ...route, query: { ...route.query, event } }, { replace: true })
  }
  const toTranscript = () => ({ screen: 'transcript' as const, session: reader.id, query: { event: step.event } })
  const open = () => navigate(toTranscript())
  useKeys(
    {
      j: ['next answer', () => choose(Math.min(steps.length - 1, at + 1))],
      k: ['previous answer', () => choose(Math.max(0, at - 1))],
      n: ['next prompt', () => choose(stepOfTurn(steps, at, 1))],
      p: ['previous prompt', () => choose(stepOfTurn(steps, at, -1))],
      o: ['open in the transcript', open],
    },
    'Context',
  )
  const prompt = promptOf(outline, step)
  const says = `Answer ${countText(at + 1)} of ${countText(steps.length)}: ${countText(step.tokens)} tokens`
  return (
    <div className="context">
      <header className="context-head">
        <p className="context-says">
          <strong>
            Answer {countText(at + 1)} <span className="faint">of {countText(steps.length)}</span>
          </strong>
          {step.at === null ? null : <span className="soft">{longWhen(new Date(step.at).toISOString())}</span>}
          <Link className="context-open" route={toTranscript()}>
            In the transcript
          </Link>
        </p>
        <p className="context-prompt" title={prompt}>
          {prompt === undefined ? ' ' : visibleLine(prompt)}
        </p>
      </header>
      <ContextPicture steps={steps} at={at} window={window} says={says} choose={choose} open={open} />
      <MakeUp step={isEnd ? undefined : step} />
    </div>
  )
}

/** The step that the address means; any event may be named. */
function useStep(outline: Outline, steps: readonly Step[]): number {
  const reader = useReader()
  const event = useRoute().query['event']
  const slot = event === undefined ? -1 : outline.ids.indexOf(event)
  const isElsewhere = event !== undefined && slot < 0
  const found = useAsync(
    async () => (isElsewhere && event !== undefined ? reader.placeOf(event) : null),
    [reader, event, isElsewhere],
  )
  if (event === undefined) return steps.length - 1
  if (slot >= 0) return stepAtSlot(steps, slot)
  const place = found.value
  return place && place.thread === outline.thread ? stepAtSlot(steps, place.slot) : steps.length - 1
}

/** At a step, or at the end of the session. What came last stays, paler, while the next is worked out. */
function MakeUp({ step }: { step: Step | undefined }) {
  const reader = useReader()
  const settled = useSettled(step)
  const event = settled?.event ?? null
  const context = useAsync(() => reader.contextAt(event), [reader, event])
  const last = useRef<{ context: ContextAt; counted?: number }>(undefined)
  const now = context.value && { context: context.value, ...(settled && { counted: settled.tokens }) }
  useEffect(() => {
    if (now) last.current = now
  })
  const shown = now ?? last.current
  if (context.error && !context.isLoading) {
    return <Failure error={context.error} title="The context could not be read" retry={context.reload} />
  }
  if (!shown) return <Skeleton rows={6} isWaiting />
  return <MakeUpTable {...shown} isOld={context.isLoading || settled !== step} />
}

function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
