// Opens log files that are dropped into the window; they stay in the browser.

import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useKeys } from '../keys.ts'
import { adoptReader } from '../reader.ts'
import { localSession, navigate } from '../route.ts'
import type { Reader, SessionStore } from '../store.ts'
import { Empty } from './states.tsx'

const chooserId = 'choose-file'

type Drop =
  | { state: 'none' }
  | { state: 'over' }
  | { state: 'opening'; name: string }
  | { state: 'failed'; why: string }

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true
}

/** Opens a file as the session `local` and goes there. */
export async function openFile(file: File): Promise<void> {
  const { openLocal } = await import('../local/open.ts')
  const reader = await openLocal(file)
  showLocal(reader)
  navigate({ screen: 'transcript', session: localSession, query: {} })
}

/** Lets the reader choose a file, for whom dropping one is not the way. */
export function chooseFile(): void {
  document.getElementById(chooserId)?.click()
}

export function DropTarget() {
  const [drop, setDrop] = useState<Drop>({ state: 'none' })
  useKeys({ 'g o': ['open a session file', chooseFile] }, 'Everywhere')
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setDrop(now => (now.state === 'opening' ? now : { state: 'over' }))
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setDrop(now => (now.state === 'over' ? { state: 'none' } : now))
    }
    const take = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      void open(event.dataTransfer?.files[0], setDrop)
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', take)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', take)
    }
  }, [])
  return (
    <>
      <input
        id={chooserId}
        type="file"
        accept=".jsonl"
        hidden
        onChange={event => {
          void open(event.target.files?.[0], setDrop)
          event.target.value = ''
        }}
      />
      {drop.state === 'none' ? null : <DropSheet drop={drop} close={() => setDrop({ state: 'none' })} />}
    </>
  )
}

async function open(file: File | undefined, setDrop: (drop: Drop) => void): Promise<void> {
  if (!file) return setDrop({ state: 'none' })
  setDrop({ state: 'opening', name: file.name })
  try {
    await openFile(file)
    setDrop({ state: 'none' })
  } catch (error) {
    setDrop({ state: 'failed', why: error instanceof Error ? error.message : String(error) })
  }
}

function DropSheet({ drop, close }: { drop: Exclude<Drop, { state: 'none' }>; close: () => void }) {
  if (drop.state === 'failed') return <DropFailed why={drop.why} close={close} />
  return (
    <div className="drop-sheet" role="status">
      <div className="drop-words">
        <strong>{drop.state === 'over' ? 'Drop a session file to read it' : `Opening ${drop.name}…`}</strong>
        <span>It is read in this page. Nothing is sent anywhere.</span>
      </div>
    </div>
  )
}

function DropFailed({ why, close }: { why: string; close: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  useKeys({ Esc: ['close', close] }, 'The file could not be opened')
  return (
    <div className="drop-sheet" role="alertdialog" aria-label="The file could not be opened">
      <div className="drop-words">
        <strong>The file could not be opened</strong>
        <span>{why}</span>
        <span>A session file is a .jsonl from the projects folder of a Claude home.</span>
        <button ref={button} type="button" className="button" onClick={close}>
          Close
        </button>
      </div>
    </div>
  )
}

let current: SessionStore | undefined
const listeners = new Set<() => void>()

/** Takes a dropped file's reader as the session `local`. */
export function showLocal(reader: Reader): void {
  current = adoptReader(reader)
  for (const listener of [...listeners]) listener()
}

/** The dropped file, where there is one. */
export function useLocalStore(): SessionStore | undefined {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

/** The address names a dropped file, and the page was reloaded since. */
export function LocalGone() {
  return (
    <main className="screen" id="screen" tabIndex={-1}>
      <Empty title="This file is not open any more">
        <p>A dropped file is read in this page only and is gone once the page is loaded again.</p>
        <p>Drop the .jsonl file into the window again to go on.</p>
      </Empty>
    </main>
  )
}
