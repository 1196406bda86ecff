// The palette behind Ctrl+K: sessions and actions by a few letters, all by keyboard. What an action does is where it is
// declared; sessions are those of the list.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { PicturedRow } from '../../src/server/api/api.ts'
import { ask } from '../api.ts'
import { useKeys } from '../keys.ts'
import { FrameIcon } from '../parts/icon.tsx'
import { useAsync } from '../reader.ts'
import { navigate, type Route, routeNow, type Screen } from '../route.ts'
import { chooseFile } from './drop.tsx'
import { whenAlone } from './format.ts'
import { toggleHelp } from './help.tsx'
import { useNow } from './sessions.ts'

interface Choice {
  id: string
  label: string
  /** Next to the label, in small. */
  note: string
  act(): void
}

const inSession: [Screen, string, string][] = [
  ['transcript', 'Transcript of this session', 'g t'],
  ['map', 'Map of this session', 'g m'],
  ['context', 'Context of this session', 'g c'],
  ['files', 'Files of this session', 'g f'],
]
const everywhere: [Screen, string, string][] = [
  ['home', 'All sessions', 'g h'],
  ['search', 'Search everything', '/'],
  ['usage', 'Usage', 'g u'],
  ['archive', 'Archive', 'g a'],
  ['history', 'History of prompts', 'g i'],
  ['health', 'Health', 'g l'],
  ['settings', 'Settings', 'g ,'],
]

/** What can be done from here. */
export function actionsFor({ session }: Pick<Route, 'session'>): Choice[] {
  const own = session === undefined ? [] : inSession.map(([screen, label, note]) => goTo(screen, label, note, session))
  return [
    ...own,
    ...everywhere.map(([screen, label, note]) => goTo(screen, label, note)),
    { id: 'open', label: 'Open a session file…', note: 'g o', act: chooseFile },
    { id: 'help', label: 'Keyboard help', note: '?', act: () => toggleHelp(true) },
  ]
}

function goTo(screen: Screen, label: string, note: string, session?: string): Choice {
  const route: Route = { screen, query: {}, ...(session !== undefined && { session }) }
  return { id: `go ${screen}`, label, note, act: () => navigate(route) }
}

/** Those that have every word, those that begin with the first one first. */
export function matching<One extends Pick<Choice, 'label'>>(choices: readonly One[], text: string): One[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = choices.filter(({ label }) => words.every(word => label.toLowerCase().includes(word)))
  const begins = ({ label }: One) => label.toLowerCase().startsWith(words[0] ?? '')
  return [...found.filter(begins), ...found.filter(one => !begins(one))]
}

const mostSessions = 12

function sessionChoice({ id, title, project, endedAt, live }: PicturedRow, now: number): Choice {
  return {
    id: `session ${id}`,
    label: visibleLine(title) || 'Untitled',
    note: `${visibleLine(project.name)} · ${live ? 'now' : whenAlone(endedAt, now)}`,
    act: () => navigate({ screen: 'transcript', session: id, query: {} }),
  }
}

/** The words may be in a session, not in its title. */
export function searchFor(words: string): Choice {
  const route: Route = { screen: 'search', query: { q: words } }
  return { id: 'search for', label: `Search everything for “${words}”`, note: '', act: () => navigate(route) }
}

let open = () => {}

/** For those without the keys. */
export function openPalette(): void {
  open()
}

/** Ctrl+K, or the system's key, wherever the focus is. */
export function Palette() {
  const [isOpen, setOpen] = useState(false)
  open = () => setOpen(true)
  useKeys({ 'Ctrl+K': ['sessions and actions', () => setOpen(true)] }, 'Everywhere')
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isAsked = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === 'k'
      if (!isAsked || document.querySelector('dialog:modal:not(.palette)')) return
      event.preventDefault()
      setOpen(before => !before)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return isOpen ? <Sheet close={() => setOpen(false)} /> : null
}

function Sheet({ close }: { close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [before] = useState(() => document.activeElement)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const choices = useChoices(text)
  const chosen = choices[Math.min(at, choices.length - 1)]
  useEffect(() => {
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [before])
  const choose = (choice: Choice | undefined) => {
    if (!choice) return
    close()
    // After the focus went back: what the action opens takes it from there.
    setTimeout(() => choice.act())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: { [key: string]: number } = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (event.key === 'Enter') choose(chosen)
    else if (step !== undefined) setAt((Math.min(at, choices.length - 1) + step + choices.length) % choices.length)
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Sessions and actions"
      onClose={close}
      onPointerDown={event => {
        // Around the sheet is the dialog's backdrop.
        if (event.target === dialog.current) close()
      }}
    >
      <div className="palette-box">
        <FrameIcon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={chosen && optionId(listId, chosen)}
          aria-label="Go to a session or do something"
          placeholder="Go to a session or do something"
          value={text}
          onChange={event => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
          autoComplete="off"
          spellCheck={false}
        />
        <kbd>Esc</kbd>
      </div>
      <Options id={listId} choices={choices} chosen={chosen} choose={choose} />
    </dialog>
  )
}

interface OptionsProps {
  id: string
  choices: readonly Choice[]
  chosen: Choice | undefined
  choose(choice: Choice): void
}

/** The focus stays in the box, which names the chosen one: these need no keys of their own. */
function Options({ id, choices, chosen, choose }: OptionsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (chosen) document.getElementById(optionId(id, chosen))?.scrollIntoView({ block: 'nearest' })
  }, [id, chosen])
  return (
    <div ref={list} className="palette-list" id={id} role="listbox" aria-label="Sessions and actions">
      {choices.map(choice => (
        <div
          key={choice.id}
          id={optionId(id, choice)}
          className="palette-choice"
          role="option"
          tabIndex={-1}
          aria-selected={choice.id === chosen?.id}
          onPointerDown={event => {
            event.preventDefault()
            choose(choice)
          }}
        >
          <span>{choice.label}</span>
          <span className="palette-note">{choice.note}</span>
        </div>
      ))}
    </div>
  )
}

function optionId(list: string, { id }: Choice): string {
  return `${list}${id.replace(/[^\w-]/g, '_')}`
}

/** Before anything is typed, the sessions that were used last come first. */
function useChoices(text: string): Choice[] {
  const now = useNow()
  const words = text.trim()
  const list = useAsync(
    signal => ask('GET /api/sessions', { text: words, limit: String(mostSessions) }, { signal }),
    [words],
  )
  const last = useRef<PicturedRow[]>([])
  if (list.value) last.current = list.value.sessions
  const sessions = last.current.map(one => sessionChoice(one, now))
  const actions = matching(actionsFor(routeNow()), words)
  return words === '' ? [...sessions.slice(0, 5), ...actions] : [...actions, ...sessions, searchFor(words)]
}
