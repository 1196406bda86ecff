// What is before the first and after the last slot: what the session is, where it comes from and continues, and how to
// resume it. For a subagent's thread, the way back.

import { type CSSProperties, useState } from 'react'
import { countOf, durationText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { HeadThread, SessionHead } from '../../src/view/reading.ts'
import { inheritedText } from '../../src/view/words.ts'
import { CopyButton } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { agentHue } from '../parts/tool-kind.ts'
import { useAsync, useReader } from '../reader.ts'
import { Link, localSession } from '../route.ts'
import { deletionText, longWhen, modelName } from '../shell/format.ts'
import { callsText } from '../thread/words.ts'
import { Clamped } from './items/body.tsx'

const relations: Readonly<Record<string, string>> = {
  'resumed-from': 'Resumed from',
  'forked-from': 'Forked from',
  'continued-in': 'Continued in',
  'copied-from': 'Copied from',
}

export function Top({ head, session, thread }: { head: SessionHead; session: string; thread: HeadThread | undefined }) {
  if (thread?.kind === 'subagent') return <ThreadTop head={head} session={session} thread={thread} />
  const { counts } = head
  const facts = [
    longWhen(head.startedAt),
    lasted(head.startedAt, head.endedAt),
    head.gitBranch === undefined ? '' : visibleLine(head.gitBranch),
    head.models.map(model => visibleLine(modelName(model))).join(', '),
    countOf(counts.prompts, 'prompt'),
    countOf(counts.calls, 'call'),
    counts.subagents > 0 ? countOf(counts.subagents, 'subagent') : '',
    inheritedText(head.inherited),
  ]
  return (
    <header className="session-top">
      <p className="session-facts">
        {facts
          .filter(fact => fact !== '')
          .map(fact => (
            <span key={fact}>{fact}</span>
          ))}
        {session === localSession ? <span className="faint">a file, read in this page</span> : null}
        <ArchiveFact head={head} />
        {head.resume === undefined ? null : (
          <span className="resume">
            <CopyButton text={() => head.resume ?? ''} what="resume command" icon="play" label="Copy resume command" />
          </span>
        )}
      </p>
      <Lineage head={head} relations={['resumed-from', 'forked-from', 'copied-from']} />
    </header>
  )
}

function ArchiveFact({ head }: { head: SessionHead }) {
  const [now] = useState(() => Date.now())
  if (!head.onDisk && head.isArchived) return <span className="gone">source deleted · read from the archive</span>
  const deletion = deletionText(head.deletedOn, now)
  if (deletion === undefined) return null
  return (
    <span className="gone">
      {deletion}
      {head.isArchived ? ' · archived' : ''}
    </span>
  )
}

function lasted(from: string | null, to: string | null): string {
  if (from === null || to === null) return ''
  const millis = Date.parse(to) - Date.parse(from)
  return millis > 0 ? durationText(millis) : ''
}

function ThreadTop({ head, session, thread }: { head: SessionHead; session: string; thread: HeadThread }) {
  const hue = agentHue(head, thread.id)
  const parent = thread.parentThread
  const isMain = parent === undefined || head.threads.some(one => one.id === parent && one.kind === 'main')
  const back = { ...(isMain ? {} : { thread: parent }), ...(thread.startEvent ? { event: thread.startEvent } : {}) }
  return (
    <header className="session-top thread-top" style={{ '--hue': `var(--agent-${hue || 1})` } as CSSProperties}>
      <p className="thread-name">
        <Icon name="agent" />
        <b>{visibleLine(thread.agentType ?? 'Subagent')}</b>
        {thread.description ? <span>“{visibleLine(thread.description)}”</span> : null}
      </p>
      <p className="session-facts">
        <span>{longWhen(thread.startedAt)}</span>
        <span>{lasted(thread.startedAt, thread.endedAt)}</span>
        <span>{callsText(thread)}</span>
        {thread.linkedBy === 'prompt' || thread.linkedBy === 'parent' ? (
          <span>linked by its {thread.linkedBy}</span>
        ) : null}
        <Link route={{ screen: 'transcript', session, query: back }}>Back to where it was started</Link>
      </p>
      <Prompt thread={thread} />
    </header>
  )
}

/** The subagent's prompt is in the call that started it. */
function Prompt({ thread }: { thread: HeadThread }) {
  const reader = useReader()
  const { value: text } = useAsync(async () => {
    const place = thread.startEvent === undefined ? null : await reader.placeOf(thread.startEvent)
    if (!place) return
    const { slots } = await reader.items(place.slot, place.slot + 1, place.thread)
    const holder = slots
      .flat()
      .find(item => item.body.some(part => part.type === 'thread' && part.thread === thread.id))
    return holder?.body.find(part => part.type === 'markdown')?.text
  }, [reader, thread.id, thread.startEvent])
  return text === undefined ? null : <Clamped text={text} />
}

function Lineage({ head, relations: wanted }: { head: SessionHead; relations: readonly string[] }) {
  const links = head.lineage.filter(link => wanted.includes(link.relation))
  if (links.length === 0) return null
  return (
    <ul className="lineage">
      {links.map(link => (
        <li key={`${link.relation} ${link.session}`}>
          <Icon name="branch" /> {relations[link.relation]}{' '}
          <Link route={{ screen: 'transcript', session: link.session, query: {} }}>{link.session.slice(0, 8)}</Link>{' '}
          <span className="faint">{visibleLine(link.how)}</span>
        </li>
      ))}
    </ul>
  )
}

export interface EndProps {
  head: SessionHead
  isMain: boolean
  /** Why there is nothing, where there is nothing. */
  empty: string
}

export function End({ head, isMain, empty }: EndProps) {
  return (
    <footer className="session-end">
      {empty === '' ? null : <p>{empty}</p>}
      {isMain ? <Lineage head={head} relations={['continued-in']} /> : null}
      {head.isLive && isMain ? (
        <p>
          <span className="live" /> The session is running; what comes next appears here.
        </p>
      ) : (
        <p className="end-knot">
          <span className="unseen">{isMain ? 'End of the session' : 'End of the thread'}</span>
        </p>
      )}
    </footer>
  )
}
