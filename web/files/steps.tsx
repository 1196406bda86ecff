// What a session did with one file, step by step: changes as diffs, reads folded. A step's content is fetched when it comes
// near the screen.

import { type RefObject, useEffect, useRef, useState } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { FileStep, SessionHead } from '../../src/view/reading.ts'
import type { ViewItem, ViewPart } from '../../src/view/view.ts'
import { countOf } from '../../src/view/words.ts'
import { Code } from '../parts/code.tsx'
import { Diff } from '../parts/diff.tsx'
import { Icon } from '../parts/icon.tsx'
import { keyed } from '../parts/keyed.ts'
import { Media } from '../parts/media.tsx'
import { TimeMark } from '../parts/small.tsx'
import { Text } from '../parts/text.tsx'
import { agentHue } from '../parts/tool-kind.ts'
import { useItems, useReader } from '../reader.ts'
import { Link } from '../route.ts'
import { Failure } from '../shell/states.tsx'
import { Changes } from './list.tsx'
import { itemOf, type NamedFile, stepRuns } from './touched.ts'

export interface StepsProps {
  named: NamedFile
  session: string
  head: SessionHead | undefined
}

export function Steps({ named: { file }, session, head }: StepsProps) {
  return (
    <ol className="file-steps">
      {stepRuns(file.steps).map((run, at) => {
        const first = run.type === 'reads' ? (run.steps[0] as FileStep) : run.step
        const key = `${at} ${first.event}`
        return (
          <li key={key}>
            {run.type === 'reads' ? (
              <Reads
                steps={run.steps}
                path={file.path}
                session={session}
                head={head}
                isAlone={file.steps.length === 1}
              />
            ) : (
              <Change step={run.step} number={run.number} path={file.path} session={session} head={head} />
            )}
          </li>
        )
      })}
    </ol>
  )
}

interface StepProps {
  step: FileStep
  path: string
  session: string
  head: SessionHead | undefined
}

function Change({ step, number, path, session, head }: StepProps & { number: number }) {
  const place = useRef<HTMLElement>(null)
  const isNear = useNear(place)
  return (
    <article ref={place} className="file-step" aria-label={`Change ${number}`}>
      <StepHead step={step} session={session} head={head}>
        <span className="file-number" aria-hidden="true">
          {number}
        </span>
      </StepHead>
      {isNear ? <StepBody step={step} path={path} /> : <div className="file-wait" />}
    </article>
  )
}

interface ReadsProps extends Omit<StepProps, 'step'> {
  steps: readonly FileStep[]
  /** Nothing else was done with the file. */
  isAlone: boolean
}

function Reads({ steps, path, session, head, isAlone }: ReadsProps) {
  const [isOpen, setOpen] = useState(isAlone)
  return (
    <div className="file-reads">
      <button type="button" className="file-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="open" /> {steps.length === 1 ? 'Read' : `Read ${countOf(steps.length, 'time')}`}
      </button>
      {isOpen
        ? keyed(steps).map(({ key, value }) => (
            <article key={key} className="file-step" aria-label="Read">
              <StepHead step={value} session={session} head={head} />
              <StepBody step={value} path={path} />
            </article>
          ))
        : null}
    </div>
  )
}

interface StepHeadProps extends Omit<StepProps, 'path'> {
  children?: React.ReactNode
}

function StepHead({ step, session, head, children }: StepHeadProps) {
  const { event, thread, tool, status, added = 0, removed = 0 } = step
  const agent = head?.threads.find(one => one.id === thread && one.kind === 'subagent')
  const hue = agentHue(head, thread)
  return (
    <header className="file-step-head">
      {children}
      <strong>{visibleLine(tool)}</strong>
      {status === 'done' ? null : (
        <span className="file-bad">
          <Icon name={status === 'failed' ? 'bad' : 'warn'} /> {status}
        </span>
      )}
      <Changes added={added} removed={removed} />
      {agent ? (
        <span className="file-agent" data-hue={hue}>
          {visibleLine(agent.agentType ?? 'subagent')}
        </span>
      ) : null}
      <span className="file-when">
        <TimeMark at={step.at} />
        <Link route={{ screen: 'transcript', session, query: { event, ...(agent && { thread }) } }}>
          In the transcript
        </Link>
      </span>
    </header>
  )
}

function StepBody({ step, path }: { step: FileStep; path: string }) {
  const items = useItems(step.thread)
  const { want } = items
  useEffect(() => want(step.slot, step.slot + 1), [want, step.slot])
  const shown = items.get(step.slot)
  if (!shown && items.error)
    return <Failure error={items.error} title="This step could not be read" retry={items.retry} />
  if (!shown) return <div className="file-wait" aria-busy="true" />
  const item = itemOf(shown, step, path)
  if (!item || item.body.length === 0) return <p className="file-none">The log does not contain what this step did.</p>
  return <ItemBody item={item} mediaFrom={mediaBefore(shown, item)} />
}

/** The address of an image counts all of its event's. */
function mediaBefore(items: readonly ViewItem[], item: ViewItem): number {
  const before = items.slice(0, items.indexOf(item)).filter(({ id }) => id === item.id)
  return before.flatMap(({ body }) => body).filter(({ type }) => type === 'media').length
}

function ItemBody({ item, mediaFrom }: { item: ViewItem; mediaFrom: number }) {
  const { id: session } = useReader()
  const hasDiff = item.body.some(part => part.type === 'diff')
  const parts = hasDiff ? item.body.filter(part => part.type === 'diff' || isBad(part)) : item.body
  const media = parts.filter(({ type }) => type === 'media')
  return keyed(parts).map(({ key, value }) =>
    value.type === 'media' ? (
      <Media key={key} part={value} session={session} event={item.id} n={mediaFrom + media.indexOf(value)} />
    ) : (
      <Part key={key} part={value} />
    ),
  )
}

function isBad(part: ViewPart): boolean {
  return part.type === 'text' && part.tone === 'bad'
}

function Part({ part }: { part: ViewPart }) {
  if (part.type === 'diff') return <Diff part={part} />
  if (part.type === 'text') return <Text part={part} />
  if (part.type !== 'code') return null
  const { text, language, startLine } = part
  return (
    <Code
      text={text}
      {...(language === undefined ? {} : { language })}
      {...(startLine === undefined ? {} : { startLine })}
    />
  )
}

/** True once a part was within a screen of what is seen. */
function useNear(place: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const element = place.current
    if (!element || isNear) return
    const observer = new IntersectionObserver(
      entries => {
        if (entries.some(entry => entry.isIntersecting)) setNear(true)
      },
      { rootMargin: '600px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [place, isNear])
  return isNear
}
