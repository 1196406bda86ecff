// Asks for confirmation before a change and says what will happen. A restore takes a second press; to forget, a word must be
// typed.

import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import { ApiError, ask } from '../api.ts'
import { useKeys } from '../keys.ts'
import { Words } from '../shell/states.tsx'
import { type Change, changeText, doneText, isTyped, typedWord } from './words.ts'

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

export function Trouble({ error }: { error: Error }) {
  const hint = error instanceof ApiError ? error.hint : undefined
  return (
    <p className="confirm-trouble" role="alert">
      <Words text={error.message} /> {hint === undefined ? null : <Words text={hint} />}
    </p>
  )
}
