// The Health screen: what `clew check` finds in the logs, by rule, each finding with a way to its record. It judges nothing
// itself.

import { useEffect, useRef, useState } from 'react'
import { countOf, sizeText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { HealthAnswer } from '../../src/server/api/api.ts'
import { ask } from '../api.ts'
import { onLive } from '../live.ts'
import { askNewSession } from '../new-session/ask.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { useAsync } from '../reader.ts'
import { Link } from '../route.ts'
import { focusNth } from '../shell/focus.ts'
import { whenAlone } from '../shell/format.ts'
import { useNow } from '../shell/sessions.ts'
import { Empty, Failure, Skeleton, Words } from '../shell/states.tsx'
import './health.css'

type Group = HealthAnswer['groups'][number]

const reading = 'Reading every record of every session. That takes a while the first time.'
const patienceMs = 2_000

export default function HealthScreen() {
  const loaded = useAsync(signal => ask('GET /api/health', {}, { signal }), [])
  const [percent, setPercent] = useState<number>()
  const { reload, value } = loaded
  const isChecking = value?.percent !== undefined
  useEffect(() => {
    const stop = onLive(message => {
      if (message.type !== 'checking') return
      setPercent(message.percent)
      if (message.percent === 100) reload()
    })
    return () => void stop()
  }, [reload])
  useEffect(() => {
    // The message that it is done may come before there is a stream.
    const timer = isChecking ? setTimeout(reload, patienceMs) : undefined
    return () => clearTimeout(timer)
  })
  if (loaded.error) {
    return <Failure error={loaded.error} title="The logs could not be checked" retry={loaded.reload} />
  }
  return (
    <div className="health" aria-busy={loaded.isLoading}>
      {value && value.at !== null ? (
        <Report report={value} />
      ) : (
        <Skeleton rows={8} isWaiting={loaded.isLoading || isChecking} says={reading} />
      )}
      {isChecking ? (
        <p className="soft" role="status">
          Checking the logs: {percent === undefined || percent === 100 ? value.percent : percent} %
        </p>
      ) : null}
    </div>
  )
}

function Report({ report }: { report: HealthAnswer }) {
  const now = useNow()
  const { groups, files, records, bytes } = report
  return (
    <>
      <header className="health-head">
        <p className="health-sum">
          <Icon name={iconOf(groups)} /> {summary(groups)}
        </p>
        <p className="soft">
          {countOf(files, 'file')}, {countOf(records, 'record')}, {sizeText(bytes)}, checked at{' '}
          {whenAlone(report.at, now)}. <Words text="`clew check` prints the same." />
        </p>
      </header>
      {groups.length === 0 ? (
        <Empty title="All well">
          <p>Every record is as Claude Code writes it.</p>
        </Empty>
      ) : (
        <ul className="health-groups">
          {groups.map(group => (
            <Finding key={`${group.severity} ${group.code}`} group={group} />
          ))}
        </ul>
      )}
    </>
  )
}

/** Of the worst that was found: only notes, or nothing, is well. */
export function iconOf(groups: readonly Pick<Group, 'severity'>[]): IconName {
  const worst = (['error', 'warning'] as const).find(one => groups.some(({ severity }) => severity === one))
  return worst === undefined ? 'done' : icons[worst]
}

const names: Record<Group['severity'], string> = { error: 'error', warning: 'warning', info: 'note' }

/** `2 errors, 14 warnings`. */
export function summary(groups: readonly Pick<Group, 'severity' | 'count'>[]): string {
  const parts = (['error', 'warning', 'info'] as const).flatMap(severity => {
    const count = groups.filter(group => group.severity === severity).reduce((sum, group) => sum + group.count, 0)
    return count === 0 ? [] : [countOf(count, names[severity])]
  })
  return parts.length === 0 ? 'Nothing found' : parts.join(', ')
}

const icons: Record<Group['severity'], IconName> = { error: 'bad', warning: 'warn', info: 'info' }
const firstPlaces = 1

function Finding({ group }: { group: Group }) {
  const [isOpen, setOpen] = useState(false)
  const { code, severity, says, count, files, places } = group
  const list = useRef<HTMLUListElement>(null)
  const showAll = () => {
    setOpen(true)
    focusNth(list.current, 'li', firstPlaces)
  }
  const shown = isOpen ? places : places.slice(0, firstPlaces)
  return (
    <li className="health-group" data-severity={severity}>
      <h2>
        <Icon name={icons[severity]} />
        <span className="unseen">{names[severity]}: </span>
        {says}
      </h2>
      <p className="health-facts">
        <code>{code}</code>
        <span>{countOf(count, 'finding')}</span>
        {files > 1 ? <span>in {countOf(files, 'file')}</span> : null}
      </p>
      <ul className="health-places" ref={list}>
        {shown.map(place => (
          <li key={`${place.file} ${place.line} ${place.event} ${place.message}`}>
            <PlaceLine place={place} />
            {severity === 'info' ? null : <RepairButton place={place} />}
          </li>
        ))}
      </ul>
      {places.length > shown.length ? (
        <button type="button" className="health-more" onClick={showAll}>
          Show {count > places.length ? `the first ${places.length}` : `all ${places.length}`}
        </button>
      ) : null}
    </li>
  )
}

/** The session's own log can be repaired; logs of subagents stay as they are. */
function RepairButton({ place: { session, isInOwnLog, title } }: { place: Group['places'][number] }) {
  if (session === undefined || isInOwnLog !== true) return null
  return (
    <button type="button" className="health-repair" onClick={() => askNewSession({ kind: 'repair', session })}>
      Repair…<span className="unseen"> {visibleLine(title ?? session)}</span>
    </button>
  )
}

function PlaceLine({ place }: { place: Group['places'][number] }) {
  const { session, event, title, message, file, line } = place
  const where = visibleLine(title ?? file ?? '')
  const at = line === undefined ? '' : `line ${line}`
  return (
    <>
      {session === undefined ? (
        <span className="health-where">{where}</span>
      ) : (
        <Link
          className="health-where"
          route={{ screen: 'transcript', session, query: event === undefined ? {} : { event } }}
          title={file}
        >
          {where || session}
        </Link>
      )}
      <span className="faint"> {at} </span>
      <span className="health-message">{visibleLine(message)}</span>
    </>
  )
}
