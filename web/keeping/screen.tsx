// Keeping: what is kept, what the client is about to delete, what it deleted and is kept here; and the only changes that
// the app can make: keep now, restore, forget.

import { useRef, useState } from 'react'
import type { KeepingAnswer } from '../../src/server/api/api.ts'
import { countText, sizeText } from '../../src/view/words.ts'
import { ask } from '../api.ts'
import { useKeys } from '../keys.ts'
import { Icon } from '../parts/icon.tsx'
import { useAsync } from '../reader.ts'
import { Failure } from '../shell/errors.tsx'
import { useNow } from '../shell/sessions.ts'
import { Skeleton, Words } from '../shell/states.tsx'
import { longWhen, shortWhen } from '../shell/when.ts'
import { Trouble } from './confirm.tsx'
import { KeepingList, type KeepingRow } from './list.tsx'
import { type Change, dueText, isSoon, keptText, lockText, modeText, savedText } from './words.ts'
import './keeping.css'

interface Loaded {
  keeping: KeepingAnswer
  isSample: boolean
}

export default function KeepingScreen() {
  const loaded = useAsync(loadKeeping, [])
  const [before, setBefore] = useState<Loaded>()
  const [told, setTold] = useState('')
  const place = useRef<HTMLParagraphElement>(null)
  const shown = loaded.value ?? before
  const done = (words: string) => {
    setTold(words)
    // The row that had the focus may be gone.
    place.current?.focus({ preventScroll: true })
    setBefore(loaded.value)
    loaded.reload()
  }
  if (loaded.error && !loaded.isLoading) {
    return <Failure error={loaded.error} title="What is kept could not be looked up" retry={loaded.reload} />
  }
  return (
    <div className="keeping" aria-busy={loaded.isLoading}>
      <p className="keeping-told" role="status" ref={place} tabIndex={-1}>
        {told === '' ? null : (
          <>
            <Icon name="done" /> {told}
          </>
        )}
      </p>
      {shown ? <Kept {...shown} done={done} /> : <Skeleton rows={8} isWaiting={loaded.isLoading} />}
    </div>
  )
}

async function loadKeeping(signal: AbortSignal): Promise<Loaded> {
  const [keeping, about] = await Promise.all([
    ask('GET /api/keeping', {}, { signal }),
    ask('GET /api/about', {}, { signal }),
  ])
  return { keeping, isSample: about.isSample }
}

function Kept({ keeping, isSample, done }: Loaded & { done(words: string): void }) {
  const now = useNow()
  const lock = lockText(keeping.isReadOnly, isSample)
  return (
    <>
      <Standing keeping={keeping} lock={lock} done={done} />
      <KeepingList
        title="About to be deleted"
        note="The client deletes old sessions by itself, the soonest first here. What is kept can be read on afterwards."
        empty="The client is about to delete nothing that is here."
        rows={keeping.expiring.map(one => expiringRow(one, now))}
        isLocked={lock !== undefined}
        done={done}
      />
      <KeepingList
        title="Gone from disk, kept here"
        note="The client deleted these. They read and search like all others."
        empty="Nothing that is kept was deleted by the client yet."
        rows={keeping.gone.map(one => goneRow(one, now))}
        isLocked={lock !== undefined}
        done={done}
      />
    </>
  )
}

function expiringRow(
  { session, title, deletedOn, isKept }: KeepingAnswer['expiring'][number],
  now: number,
): KeepingRow {
  const change: Change = { kind: 'forget', session, title, deletedOn }
  return {
    session,
    title,
    changes: isKept ? [change] : [],
    facts: (
      <>
        <span className={isSoon(deletedOn, now) ? 'keeping-soon' : ''} title={longWhen(deletedOn)}>
          {dueText(deletedOn, now)}
        </span>
        <span className={isKept ? 'keeping-safe' : 'keeping-unsafe'}>
          <Icon name={isKept ? 'done' : 'warn'} /> {isKept ? 'kept' : 'not kept'}
        </span>
      </>
    ),
  }
}

function goneRow({ session, title, endedAt, bytes }: KeepingAnswer['gone'][number], now: number): KeepingRow {
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

interface StandingProps {
  keeping: KeepingAnswer
  lock: string | undefined
  done(words: string): void
}

function Standing({ keeping, lock, done }: StandingProps) {
  const { files, bytes, storedBytes, unkeptBytes, mode, hasArchive } = keeping
  const saved = savedText(bytes, storedBytes)
  const figures: [string, string, string | undefined][] = [
    ['Kept files', countText(files), undefined],
    ['Their size', sizeText(bytes), undefined],
    ['Stored in', sizeText(storedBytes), saved],
    ['Not kept yet', sizeText(unkeptBytes), undefined],
  ]
  return (
    <section className="keeping-standing" aria-label="How things stand">
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
        {hasArchive ? '' : 'Nothing is kept yet. '}
        <Words text={modeText(mode)} />
      </p>
      {lock === undefined ? (
        <KeepNow isOff={mode === 'off'} done={done} />
      ) : (
        <p className="keeping-lock">
          <Icon name="info" />
          <span>
            <Words text={lock} />
          </span>
        </p>
      )}
    </section>
  )
}

function KeepNow({ isOff, done }: { isOff: boolean; done(words: string): void }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const keep = async () => {
    if (isBusy || isOff) return
    setBusy(true)
    setError(undefined)
    try {
      done(keptText(await ask('POST /api/keeping/run', {})))
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
    } finally {
      setBusy(false)
    }
  }
  useKeys({ a: ['keep now', keep] }, 'Keeping')
  return (
    <>
      <p className="keeping-now">
        <button type="button" className="button" disabled={isBusy || isOff} onClick={keep}>
          {isBusy ? 'Keeping…' : 'Keep now'}
        </button>
        <span className="soft">Copies what is new into Clew’s own folder. Nothing in a Claude home is changed.</span>
      </p>
      {error ? <Trouble error={error} /> : null}
    </>
  )
}
