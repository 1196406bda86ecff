// The Archive screen: what is archived, what Claude Code will delete, what it deleted; and the changes of the archive:
// archive now, restore, forget. A change says what it will do and is confirmed; to forget, a word must be typed.

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { countText, sizeText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { ArchiveAnswer } from '../../src/server/api/api.ts'
import { ask } from '../api.ts'
import { useKeys } from '../keys.ts'
import { Icon } from '../parts/icon.tsx'
import { useAsync } from '../reader.ts'
import { Link } from '../route.ts'
import { focusNth } from '../shell/focus.ts'
import { dueText, isSoon, longWhen, shortWhen } from '../shell/format.ts'
import { useNow } from '../shell/sessions.ts'
import { Failure, Skeleton, Trouble, Words } from '../shell/states.tsx'
import {
  archivedText,
  type Change,
  changeText,
  doneText,
  dueGroups,
  dueSummary,
  isMixed,
  isTyped,
  lockText,
  modeText,
  nowText,
  safetyText,
  storedText,
  typedWord,
} from './words.ts'
import './archive.css'

interface Loaded {
  archive: ArchiveAnswer
  isSample: boolean
}

export default function ArchiveScreen() {
  const loaded = useAsync(loadArchive, [])
  const [before, setBefore] = useState<Loaded>()
  const [status, setStatus] = useState('')
  const place = useRef<HTMLParagraphElement>(null)
  const shown = loaded.value ?? before
  const done = (words: string) => {
    setStatus(words)
    // The row that had the focus may be gone.
    place.current?.focus({ preventScroll: true })
    setBefore(loaded.value)
    loaded.reload()
  }
  if (loaded.error && !loaded.isLoading) {
    return <Failure error={loaded.error} title="The archive could not be read" retry={loaded.reload} />
  }
  return (
    <div className="archive" aria-busy={loaded.isLoading}>
      <p className="archive-status" role="status" ref={place} tabIndex={-1}>
        {status === '' ? null : (
          <>
            <Icon name="done" /> {status}
          </>
        )}
      </p>
      {shown ? <Content {...shown} done={done} /> : <Skeleton rows={8} isWaiting={loaded.isLoading} />}
    </div>
  )
}

async function loadArchive(signal: AbortSignal): Promise<Loaded> {
  const [archive, about] = await Promise.all([
    ask('GET /api/archive', {}, { signal }),
    ask('GET /api/about', {}, { signal }),
  ])
  return { archive, isSample: about.isSample }
}

function Content({ archive, isSample, done }: Loaded & { done(words: string): void }) {
  const now = useNow()
  const lock = lockText(archive.isReadOnly, isSample)
  const common = { isLocked: lock !== undefined, done }
  return (
    <>
      <Overview archive={archive} lock={lock} done={done} />
      <Due expiring={archive.expiring} now={now} {...common} />
      {archive.gone.length === 0 ? null : (
        <ArchiveList
          title="Only in the archive"
          note="Claude Code deleted these. You can read and search them like all others."
          rows={archive.gone.map(one => goneRow(one, now))}
          {...common}
        />
      )}
    </>
  )
}

interface DueProps {
  expiring: ArchiveAnswer['expiring']
  now: number
  isLocked: boolean
  done(words: string): void
}

/** What Claude Code will delete, by when; what is far off and safe is folded. */
function Due({ expiring, now, ...common }: DueProps) {
  return (
    <section className="archive-due" aria-label="What Claude Code will delete">
      <h2>What Claude Code will delete</h2>
      {expiring.length === 0 ? <p className="soft">Nothing, as far as its settings say.</p> : null}
      {dueGroups(expiring, now).map(({ name, rows, isOpen }) => (
        <details key={name} open={isOpen}>
          <summary>
            {name} <span className="faint">{dueSummary(rows)}</span>
          </summary>
          <ArchiveRows rows={rows.map(one => expiringRow(one, now, isMixed(rows)))} {...common} />
        </details>
      ))}
    </section>
  )
}

/** `isMarked`: the summary of its group does not say already that none is archived. */
function expiringRow(
  { session, title, deletedOn, isArchived }: ArchiveAnswer['expiring'][number],
  now: number,
  isMarked: boolean,
): ArchiveRow {
  const change: Change = { kind: 'forget', session, title, deletedOn }
  return {
    session,
    title,
    changes: isArchived ? [change] : [],
    facts: (
      <>
        <span className={isSoon(deletedOn, now) ? 'archive-soon' : ''} title={longWhen(deletedOn)}>
          {dueText(deletedOn, now)}
        </span>
        {isArchived || !isMarked ? null : (
          <span className="archive-unsafe">
            <Icon name="warn" /> not archived
          </span>
        )}
      </>
    ),
  }
}

function goneRow({ session, title, endedAt, bytes }: ArchiveAnswer['gone'][number], now: number): ArchiveRow {
  return {
    session,
    title,
    changes: [
      { kind: 'restore', session, title },
      { kind: 'forget', session, title },
    ],
    facts: (
      <>
        <span title={longWhen(endedAt)}>{shortWhen(endedAt, now)}</span>
        <span>{sizeText(bytes)}</span>
      </>
    ),
  }
}

interface OverviewProps {
  archive: ArchiveAnswer
  lock: string | undefined
  done(words: string): void
}

function Overview({ archive, lock, done }: OverviewProps) {
  const now = useNow()
  const { isSafe, text } = safetyText(archive, now)
  return (
    <section className="archive-overview" aria-label="Overview" data-safe={isSafe}>
      <h2>
        <Icon name={isSafe ? 'done' : 'warn'} className="archive-mark" /> {text}
      </h2>
      <p className="soft">
        {storedText(archive)} <Words text={modeText(archive)} />{' '}
        <Link route={{ screen: 'settings', query: {} }}>Settings</Link>
      </p>
      {lock === undefined ? (
        <ArchiveNow archive={archive} isDone={isSafe} done={done} />
      ) : (
        <p className="archive-lock">
          <Icon name="info" />
          <span>
            <Words text={lock} />
          </span>
        </p>
      )}
    </section>
  )
}

interface ArchiveNowProps {
  archive: ArchiveAnswer
  /** There is nothing to do, and no need to press. */
  isDone: boolean
  done(words: string): void
}

function ArchiveNow({ archive, isDone, done }: ArchiveNowProps) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const isOff = archive.mode === 'off'
  const archiveNow = async () => {
    if (isBusy || isOff) return
    setBusy(true)
    setError(undefined)
    try {
      done(archivedText(await ask('POST /api/archive/run', {})))
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
    } finally {
      setBusy(false)
    }
  }
  useKeys({ a: ['archive now', archiveNow] }, 'Archive')
  return (
    <>
      <p className="archive-now">
        <button
          type="button"
          className={isDone ? 'button plain' : 'button'}
          disabled={isBusy || isOff}
          onClick={archiveNow}
        >
          {isBusy ? 'Archiving…' : 'Archive now'}
        </button>
        <span className="soft">{nowText(archive)}</span>
      </p>
      {error ? <Trouble error={error} /> : null}
    </>
  )
}

const firstRows = 40

export interface ArchiveRow {
  session: string
  title: string
  /** Shown after the title. */
  facts: ReactNode
  changes: Change[]
}

export interface ArchiveListProps extends ArchiveRowsProps {
  title: string
  note: string
}

export function ArchiveList({ title, note, ...list }: ArchiveListProps) {
  return (
    <section className="archive-list" aria-label={title}>
      <h2>
        {title} <span className="faint">{countText(list.rows.length)}</span>
      </h2>
      <p className="soft">{note}</p>
      <ArchiveRows {...list} />
    </section>
  )
}

interface ArchiveRowsProps {
  rows: readonly ArchiveRow[]
  /** Nothing can be changed. */
  isLocked: boolean
  done(words: string): void
}

function ArchiveRows({ rows, isLocked, done }: ArchiveRowsProps) {
  const [opened, setOpened] = useState<Change>()
  const [isWhole, setWhole] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  const shown = isWhole ? rows : rows.slice(0, firstRows)
  const showAll = () => {
    setWhole(true)
    focusNth(list.current, 'li', firstRows)
  }
  return (
    <>
      <ul className="archive-rows" ref={list}>
        {shown.map(row => (
          <Row
            key={row.session}
            row={row}
            isLocked={isLocked}
            opened={opened?.session === row.session ? opened : undefined}
            open={setOpened}
            done={done}
          />
        ))}
      </ul>
      {shown.length < rows.length ? (
        <button type="button" className="button plain" onClick={showAll}>
          Show all {countText(rows.length)}
        </button>
      ) : null}
    </>
  )
}

interface RowProps {
  row: ArchiveRow
  isLocked: boolean
  opened: Change | undefined
  open(change: Change | undefined): void
  done(words: string): void
}

const names = { restore: 'Restore…', forget: 'Forget…' } as const

function Row({ row, isLocked, opened, open, done }: RowProps) {
  return (
    <li>
      <div className="archive-row">
        <Link className="archive-title" route={{ screen: 'transcript', session: row.session, query: {} }}>
          {visibleLine(row.title)}
        </Link>
        <span className="archive-facts">{row.facts}</span>
        <span className="archive-actions">
          {isLocked
            ? null
            : row.changes.map(change => (
                <button
                  key={change.kind}
                  type="button"
                  className="archive-act"
                  aria-expanded={opened?.kind === change.kind}
                  onClick={() => open(opened?.kind === change.kind ? undefined : change)}
                >
                  {names[change.kind]}
                  <span className="unseen"> {visibleLine(row.title)}</span>
                </button>
              ))}
        </span>
      </div>
      {opened ? (
        <Confirm
          key={opened.kind}
          change={opened}
          cancel={() => open(undefined)}
          done={words => {
            open(undefined)
            done(words)
          }}
        />
      ) : null}
    </li>
  )
}

export interface ConfirmProps {
  change: Change
  cancel(): void
  /** Called with the result in words. */
  done(words: string): void
}

export function Confirm({ change, cancel, done }: ConfirmProps) {
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const isForget = change.kind === 'forget'
  const titleId = useId()
  useKeys({ Esc: ['cancel', cancel] }, 'Confirm')
  const act = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || (isForget && !isTyped(text))) return
    setBusy(true)
    setError(undefined)
    try {
      done(doneText({ ...change, title: visibleLine(change.title) }, await make(change)))
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
      setBusy(false)
    }
  }
  return (
    <form className="confirm" onSubmit={act} aria-labelledby={titleId}>
      <h3 id={titleId}>{isForget ? 'Forget this session?' : 'Restore this session?'}</h3>
      {changeText(change).map(line => (
        <p key={line}>{line}</p>
      ))}
      {error ? <Trouble error={error} /> : null}
      <div className="confirm-actions">
        {isForget ? <TypedWord text={text} setText={setText} /> : null}
        <button
          type="submit"
          className="button"
          data-danger={isForget}
          disabled={isBusy || (isForget && !isTyped(text))}
          ref={isForget ? undefined : focusOnce}
        >
          {isBusy ? 'Working…' : isForget ? 'Forget' : 'Restore'}
        </button>
        <button type="button" className="button plain" onClick={cancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}

function focusOnce(button: HTMLButtonElement | null): void {
  button?.focus()
}

async function make({ kind, session }: Change): Promise<number> {
  const name = kind === 'forget' ? 'POST /api/sessions/:id/forget' : 'POST /api/sessions/:id/restore'
  return (await ask(name, {}, { id: session })).files
}

function TypedWord({ text, setText }: { text: string; setText(text: string): void }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <label className="confirm-word">
      <span>
        Type <strong>{typedWord}</strong>
      </span>
      <input
        ref={field}
        value={text}
        onChange={event => setText(event.target.value)}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    </label>
  )
}
