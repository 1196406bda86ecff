// The Context screen: how full the context was at each answer, and what fills it at the chosen one, as a bar and a table.

import { useEffect, useRef, useState } from 'react'
import { countText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { ContextAt, Outline } from '../../src/view/reading.ts'
import { Stack } from '../charts/charts.tsx'
import { useKeys } from '../keys.ts'
import { keyed } from '../parts/facts.tsx'
import { useAsync, useHead, useOutline, useReader, useStore } from '../reader.ts'
import { Link, navigate, routeNow, useRoute } from '../route.ts'
import { longWhen, tokensText } from '../shell/format.ts'
import { Empty, Failure, Skeleton } from '../shell/states.tsx'
import { ContextPicture } from './picture.tsx'
import {
  colourOf,
  endNote,
  type MakeUpShown,
  makeUpShown,
  nameOf,
  promptOf,
  type Sort,
  type Step,
  shareText,
  stepAtSlot,
  stepOfTurn,
  stepsOf,
  type TurnContext,
  turnsOf,
} from './steps.ts'
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
        <EndOfSession version={head.value.counts.events} />
      </Empty>
    )
  }
  const { contextWindow, counts } = head.value
  return <ContextOver outline={outline.value} steps={steps} window={contextWindow} version={counts.events} />
}

/** `version`: changes when the session grows. */
function EndOfSession({ version }: { version: number }) {
  const reader = useReader()
  const { value } = useAsync(() => reader.contextAt(null), [reader, version])
  return value ? <MakeUpTable context={value} isOld={false} /> : null
}

interface ContextOverProps {
  outline: Outline
  steps: Step[]
  window: number | undefined
  /** Changes when the session grows. */
  version: number
}

function ContextOver({ outline, steps, window, version }: ContextOverProps) {
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
            {isEnd ? 'At the end, after answer' : 'Answer'} {countText(at + 1)}{' '}
            <span className="faint">of {countText(steps.length)}</span>
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
      <MakeUp step={isEnd ? undefined : step} version={version} />
      <Turns turns={turnsOf(outline, steps)} at={at} choose={choose} />
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
function MakeUp({ step, version }: { step: Step | undefined; version: number }) {
  const reader = useReader()
  const settled = useSettled(step)
  const event = settled?.event ?? null
  // What was in the window at an event does not change.
  const end = event === null ? version : 0
  const context = useAsync(() => reader.contextAt(event), [reader, event, end])
  const last = useRef<ContextAt>(undefined)
  useEffect(() => {
    if (context.value) last.current = context.value
  })
  const shown = context.value ?? last.current
  if (context.error && !context.isLoading) {
    return <Failure error={context.error} title="The context could not be read" retry={context.reload} />
  }
  if (!shown) return <Skeleton rows={6} isWaiting />
  return <MakeUpTable context={shown} isOld={context.isLoading || settled !== step} />
}

function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Tools beyond these share a row. */
const mostTools = 12

export interface MakeUpTableProps {
  context: ContextAt
  /** Another place was chosen, and what fills the window there is not known yet. */
  isOld: boolean
}

export function MakeUpTable({ context, isOld }: MakeUpTableProps) {
  const shown = makeUpShown(context)
  return (
    <div className="make-up" data-old={isOld} aria-busy={isOld}>
      <p className="make-up-sum">
        <strong>
          {shown.isEstimated ? '≈ ' : ''}
          {countText(shown.used)}
        </strong>{' '}
        tokens
        {shown.window === undefined ? null : (
          <>
            {' '}
            of {countText(shown.window)} · {shareText(shown.used, shown.window)} full
          </>
        )}
      </p>
      {endNote(context) === '' ? null : <p className="make-up-note">{endNote(context)}</p>}
      {shown.window === undefined ? null : (
        <div className="make-up-gauge" aria-hidden="true">
          <span style={{ width: `${Math.min(100, (shown.used / shown.window) * 100)}%` }} />
        </div>
      )}
      <Stack
        label={`Make-up: ${shown.sorts.map(({ name, tokens }) => `${name} ${shareText(tokens, shown.used)}`).join(', ')}`}
        whole={shown.used}
        parts={shown.sorts.map(({ kind, name, tokens }) => ({
          key: kind,
          name: `${name}: ${tokensText(tokens)}`,
          value: tokens,
          colour: colourOf(kind),
        }))}
      />
      <Rows shown={shown} />
      <Largest blocks={context.largest} />
      <p className="make-up-note">
        {context.counted === undefined
          ? '≈ is estimated from the length of the text: this log contains no token count of the API. '
          : 'The sum is what the API counted. ≈ is a share of it, by the length of the text. '}
        {shown.sorts.some(({ kind }) => kind === 'not-itemised')
          ? 'Not itemised: counted by the API, and nothing in the log accounts for it.'
          : null}
      </p>
    </div>
  )
}

/** The blocks that take most of the window, each a way to its place. */
function Largest({ blocks }: { blocks: ContextAt['largest'] }) {
  const { id: session } = useReader()
  if (blocks.length === 0) return null
  return (
    <section className="largest">
      <h2>Largest blocks</h2>
      <ol>
        {keyed(blocks).map(({ key, value: block }) => (
          <li key={key}>
            <Link route={{ screen: 'transcript', session, query: { event: block.event } }}>
              <i className="tone-dot" style={{ background: colourOf(block.kind) }} />
              <b>{visibleLine(block.tool ?? nameOf(block.kind))}</b>
              <span className="largest-about">{visibleLine(block.about)}</span>
              <span className="mono">≈ {countText(block.tokens)}</span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  )
}

interface TurnsProps {
  turns: readonly TurnContext[]
  /** The step that is looked at. */
  at: number
  choose(at: number): void
}

/** How much each turn added. */
function Turns({ turns, at, choose }: TurnsProps) {
  if (turns.length < 2) return null
  return (
    <section className="turns">
      <h2>By turn</h2>
      <table className="make-up-table">
        <thead>
          <tr>
            <th scope="col">Prompt</th>
            <th scope="col">Answers</th>
            <th scope="col">Added</th>
            <th scope="col">At its end</th>
          </tr>
        </thead>
        <tbody>
          {turns.map(turn => (
            <tr key={turn.last} {...(at >= turn.first && at <= turn.last ? { 'aria-current': true } : {})}>
              <th scope="row">
                <button type="button" className="turn-prompt" onClick={() => choose(turn.last)}>
                  {visibleLine(turn.prompt)}
                </button>
              </th>
              <td>{countText(turn.last - turn.first + 1)}</td>
              <td>
                {turn.added < 0 ? '−' : '+'}
                {tokensText(Math.abs(turn.added))}
                {turn.isCompacted ? ' compacted' : ''}
              </td>
              <td>{tokensText(turn.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Rows({ shown }: { shown: MakeUpShown }) {
  return (
    <table className="make-up-table">
      <caption className="unseen">What fills the window</caption>
      <thead>
        <tr>
          <th scope="col">Content</th>
          <th scope="col" className="make-up-blocks">
            Blocks
          </th>
          <th scope="col">Tokens</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      {shown.sorts.map(sort => (
        <SortRows key={sort.kind} sort={sort} whole={shown.used} />
      ))}
      {shown.free === undefined ? null : (
        <tbody>
          <tr className="make-up-free">
            <th scope="row">
              <i className="tone-dot fill-free" /> Free
            </th>
            <td className="make-up-blocks" />
            <td>{countText(shown.free)}</td>
            <td />
          </tr>
        </tbody>
      )}
    </table>
  )
}

function SortRows({ sort, whole }: { sort: Sort; whole: number }) {
  const tools = sort.tools.slice(0, mostTools)
  const others = sort.tools.slice(mostTools)
  const rest = others.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <tbody>
      <tr>
        <th scope="row">
          <i className="tone-dot" style={{ background: colourOf(sort.kind) }} /> {sort.name}
        </th>
        <Numbers {...sort} whole={whole} />
      </tr>
      {tools.map(tool => (
        <tr key={tool.name} className="make-up-tool">
          <th scope="row">{visibleLine(tool.name)}</th>
          <Numbers {...tool} whole={whole} />
        </tr>
      ))}
      {others.length === 0 ? null : (
        <tr className="make-up-tool">
          <th scope="row">{others.length} other tools</th>
          <Numbers
            tokens={rest}
            blocks={others.reduce((sum, { blocks }) => sum + blocks, 0)}
            isEstimated
            whole={whole}
          />
        </tr>
      )}
    </tbody>
  )
}

interface NumbersProps {
  tokens: number
  blocks: number
  isEstimated: boolean
  whole: number
}

function Numbers({ tokens, blocks, isEstimated, whole }: NumbersProps) {
  return (
    <>
      <td className="make-up-blocks">{blocks === 0 ? '' : countText(blocks)}</td>
      <td>
        {isEstimated ? '≈ ' : ''}
        {countText(tokens)}
      </td>
      <td>{shareText(tokens, whole)}</td>
    </>
  )
}
