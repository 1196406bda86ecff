// The dialog that makes a new session of another one: a fork from an event, or a repair. First it shows what will be written,
// then, once that was confirmed, the command that resumes the new session and the one that removes it.

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { countOf, countText } from '../../src/base/format.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { NewSession, RepairReport } from '../../src/server/api/api.ts'
import { ask } from '../api.ts'
import { scrollable } from '../parts/code.tsx'
import { CopyButton, Said } from '../parts/copy.tsx'
import { keyed } from '../parts/facts.tsx'
import { Icon } from '../parts/icon.tsx'
import { useAsync } from '../reader.ts'
import { Link } from '../route.ts'
import { Skeleton, Trouble } from '../shell/states.tsx'
import type { Asked } from './ask.ts'
import { forkFacts, lineName, type Named, placeOf, repairFacts, writtenText } from './words.ts'
import '../parts/parts.css'
import './new-session.css'

export interface NewSessionDialogProps {
  asked: Asked
  close(): void
}

export default function NewSessionDialog({ asked, close }: NewSessionDialogProps) {
  const [written, setWritten] = useState<NewSession>()
  if (written !== undefined) {
    const title = asked.kind === 'fork' ? 'Forked' : 'Repaired'
    return (
      <Frame title={title} close={close}>
        <Written report={written} close={close} />
      </Frame>
    )
  }
  return (
    <Frame title={asked.kind === 'fork' ? `Fork from this ${asked.what}` : 'Repair this session'} close={close}>
      {asked.kind === 'fork' ? (
        <Fork asked={asked} close={close} done={setWritten} />
      ) : (
        <Repair session={asked.session} close={close} done={setWritten} />
      )}
    </Frame>
  )
}

function Frame({ title, close, children }: { title: string; close(): void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const [before] = useState(() => document.activeElement)
  useEffect(() => {
    dialog.current?.showModal()
    return () => {
      // The menu that it was opened from may be gone.
      const place = before instanceof HTMLElement && before.isConnected ? before : document.getElementById('screen')
      place?.focus({ preventScroll: true })
    }
  }, [before])
  return (
    <dialog className="new-session" ref={dialog} onClose={close} aria-labelledby={titleId}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <button type="button" className="tool-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {children}
      <Said />
    </dialog>
  )
}

interface PreviewProps {
  close(): void
  done(written: NewSession): void
}

function Fork({ asked, close, done }: PreviewProps & { asked: Asked & { kind: 'fork' } }) {
  const { session, at, what } = asked
  const [title, setTitle] = useState<string>()
  const preview = useAsync(signal => ask('GET /api/sessions/:id/fork', { at }, { id: session, signal }), [session, at])
  const report = preview.value
  const act = () =>
    ask('POST /api/sessions/:id/fork', title === undefined ? { at } : { at, title }, { id: session }).then(done)
  if (report === undefined) return <Waiting {...preview} close={close} />
  return (
    <Confirm name="Fork" act={act} close={close}>
      <p>Clew copies the session up to this {what} into a new one, with new ids. This session stays as it is.</p>
      <label className="new-title">
        <span>Title</span>
        <input
          value={title ?? report.title ?? ''}
          onChange={event => setTitle(event.target.value)}
          maxLength={500}
          autoComplete="off"
        />
      </label>
      <Facts facts={forkFacts(report)} report={report} />
    </Confirm>
  )
}

function Repair({ session, close, done }: PreviewProps & { session: string }) {
  const preview = useAsync(signal => ask('GET /api/sessions/:id/repair', {}, { id: session, signal }), [session])
  const report = preview.value
  const act = async () => {
    const { written } = await ask('POST /api/sessions/:id/repair', {}, { id: session })
    if (written === undefined) throw new Error('Nothing is damaged any more; nothing was written.')
    done(written)
  }
  if (report === undefined) return <Waiting {...preview} close={close} />
  if (report.written === undefined) return <Sound report={report} close={close} />
  return (
    <Confirm name="Repair" act={act} close={close}>
      <p>Clew writes the repaired session as a new one. This session stays as it is.</p>
      <Facts facts={repairFacts(report)} report={report.written} />
      <Changes changes={report.changes} />
    </Confirm>
  )
}

/** There is nothing to repair. */
function Sound({ report, close }: { report: RepairReport; close(): void }) {
  return (
    <>
      <div className="new-body">
        <p>
          <Icon name="done" /> Nothing is damaged in the session’s own log: there is nothing to repair.
        </p>
        <Facts facts={repairFacts(report).slice(0, 1)} />
      </div>
      <footer>
        <CloseButton close={close} />
      </footer>
    </>
  )
}

function Waiting({
  error,
  isLoading,
  reload,
  close,
}: {
  error?: Error
  isLoading: boolean
  reload(): void
  close(): void
}) {
  return (
    <>
      <div className="new-body" aria-busy={isLoading}>
        {error ? (
          <Trouble error={error} />
        ) : (
          <Skeleton rows={5} isWaiting={isLoading} says="Reading every record of the session." />
        )}
      </div>
      <footer>
        {error ? (
          <button type="button" className="button plain" onClick={reload}>
            Try again
          </button>
        ) : null}
        <CloseButton close={close} />
      </footer>
    </>
  )
}

function CloseButton({ close }: { close(): void }) {
  return (
    <button type="button" className="button plain" onClick={close}>
      Close
    </button>
  )
}

interface ConfirmProps {
  /** On the button. */
  name: string
  act(): Promise<void>
  close(): void
  children: ReactNode
}

function Confirm({ name, act, close, children }: ConfirmProps) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      await act()
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
      setBusy(false)
    }
  }
  return (
    <form onSubmit={submit}>
      <div className="new-body" {...scrollable('Preview')}>
        {children}
      </div>
      <footer>
        {error ? <Trouble error={error} /> : null}
        <button type="submit" className="button" disabled={isBusy} ref={focusOnce}>
          {isBusy ? 'Working…' : name}
        </button>
        <button type="button" className="button plain" onClick={close}>
          Cancel
        </button>
      </footer>
    </form>
  )
}

function focusOnce(button: HTMLButtonElement | null): void {
  button?.focus()
}

/** `report`: of the files that will be written. */
function Facts({ facts, report }: { facts: readonly Named[]; report?: NewSession }) {
  const place = report === undefined ? undefined : placeOf(report)
  return (
    <dl className="new-facts">
      {facts.map(({ name, text }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {place === undefined ? null : (
        <div>
          <dt>Written to</dt>
          <dd>
            <span className="mono">{place.folder}</span> <span className="faint">{place.size}</span>
          </dd>
        </div>
      )}
    </dl>
  )
}

const firstChanges = 30

function Changes({ changes }: Pick<RepairReport, 'changes'>) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? changes : changes.slice(0, firstChanges)
  return (
    <section>
      <h3>{countOf(changes.length, 'change')}</h3>
      <ol className="new-changes">
        {keyed(shown).map(({ key, value: { line, kind, what, before, after } }) => (
          <li key={key}>
            <p>
              <span className="faint mono">{lineName(line)}</span> <b>{kind}</b> {visibleLine(what)}
            </p>
            {before === undefined ? null : (
              <pre className="change-del">
                <span className="unseen">before: </span>
                {visibleLine(before)}
              </pre>
            )}
            {after === undefined ? null : (
              <pre className="change-add">
                <span className="unseen">after: </span>
                {visibleLine(after)}
              </pre>
            )}
          </li>
        ))}
      </ol>
      {shown.length < changes.length ? (
        <button type="button" className="button plain" onClick={() => setWhole(true)}>
          Show all {countText(changes.length)}
        </button>
      ) : null}
    </section>
  )
}

/** What was written, how to continue it, and how to undo it. */
function Written({ report, close }: { report: NewSession; close(): void }) {
  const { session, command, undo } = report
  const actions = useRef<HTMLElement>(null)
  // The button that was pressed is gone.
  useEffect(() => actions.current?.querySelector('a')?.focus(), [])
  return (
    <>
      <div className="new-body">
        <p role="status">
          <Icon name="done" className="new-done" /> {writtenText(report)}
        </p>
        <Command name="To continue it in a terminal" text={command} what="resume command" />
        <Command name="To undo, remove its files" text={undo} what="undo command" />
      </div>
      <footer ref={actions}>
        <Link className="button" route={{ screen: 'transcript', session, query: {} }} onClick={close}>
          Open the new session
        </Link>
        <CloseButton close={close} />
      </footer>
    </>
  )
}

function Command({ name, text, what }: { name: string; text: string; what: string }) {
  return (
    <div className="new-command">
      <p>
        <span>{name}</span>
        <CopyButton text={() => text} what={what} label="Copy" />
      </p>
      <pre>{visibleLine(text)}</pre>
    </div>
  )
}
