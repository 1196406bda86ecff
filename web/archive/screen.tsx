// The Archive screen: what is archived, what Claude Code will delete, what it deleted; and the only changes that the app can
// make: archive now, restore, forget.

import { useRef, useState } from 'react'
import type { ArchiveAnswer } from '../../src/server/api/api.ts'
import { countText, sizeText } from '../../src/view/words.ts'
import { ask } from '../api.ts'
import { useKeys } from '../keys.ts'
import { Icon } from '../parts/icon.tsx'
import { useAsync } from '../reader.ts'
import { useNow } from '../shell/sessions.ts'
import { Failure, Skeleton, Words } from '../shell/states.tsx'
import { longWhen, shortWhen } from '../shell/when.ts'
import { Trouble } from './confirm.tsx'
import { ArchiveList, type ArchiveRow } from './list.tsx'
import { archivedText, type Change, dueText, isSoon, lockText, modeText, savedText } from './words.ts'
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
  return (
    <>
      <Figures archive={archive} lock={lock} done={done} />
      <ArchiveList
        title="About to be deleted"
        note="Claude Code deletes old sessions, the first of these soonest. Archived sessions stay readable."
        empty="Claude Code is not about to delete any session."
        rows={archive.expiring.map(one => expiringRow(one, now))}
        isLocked={lock !== undefined}
        done={done}
      />
      <ArchiveList
        title="Deleted from disk, in the archive"
        note="Claude Code deleted these. You can read and search them like all others."
        empty="Claude Code has not deleted any archived session yet."
        rows={archive.gone.map(one => goneRow(one, now))}
        isLocked={lock !== undefined}
        done={done}
      />
    </>
  )
}

function expiringRow(
  { session, title, deletedOn, isArchived }: ArchiveAnswer['expiring'][number],
  now: number,
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
        <span className={isArchived ? 'archive-safe' : 'archive-unsafe'}>
          <Icon name={isArchived ? 'done' : 'warn'} /> {isArchived ? 'archived' : 'not archived'}
        </span>
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

interface FiguresProps {
  archive: ArchiveAnswer
  lock: string | undefined
  done(words: string): void
}

function Figures({ archive, lock, done }: FiguresProps) {
  const { files, bytes, storedBytes, unarchivedBytes, mode, hasArchive } = archive
  const saved = savedText(bytes, storedBytes)
  const figures: [string, string, string | undefined][] = [
    ['Archived files', countText(files), undefined],
    ['Original size', sizeText(bytes), undefined],
    ['Stored size', sizeText(storedBytes), saved],
    ['Not archived yet', sizeText(unarchivedBytes), undefined],
  ]
  return (
    <section className="archive-figures" aria-label="Overview">
      <dl>
        {figures.map(([name, value, note]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value}
              {note === undefined ? null : <small>{note}</small>}
            </dd>
          </div>
        ))}
      </dl>
      <p className="soft">
        {hasArchive ? '' : 'There is no archive yet. '}
        <Words text={modeText(mode)} />
      </p>
      {lock === undefined ? (
        <ArchiveNow isOff={mode === 'off'} done={done} />
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

function ArchiveNow({ isOff, done }: { isOff: boolean; done(words: string): void }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const archive = async () => {
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
  useKeys({ a: ['archive now', archive] }, 'Archive')
  return (
    <>
      <p className="archive-now">
        <button type="button" className="button" disabled={isBusy || isOff} onClick={archive}>
          {isBusy ? 'Archiving…' : 'Archive now'}
        </button>
        <span className="soft">Copies new sessions into Clew’s own folder. Claude Code’s files stay as they are.</span>
      </p>
      {error ? <Trouble error={error} /> : null}
    </>
  )
}
