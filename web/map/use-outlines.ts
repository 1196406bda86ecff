// The outlines of all threads that the map shows: the main one first, a few at a time. What is there is given while more
// is on its way.

import { useEffect, useState } from 'react'
import type { Outline, SessionHead } from '../../src/view/reading.ts'
import { useStore } from '../reader.ts'
import type { SessionStore } from '../store.ts'
import { laneOrder } from './model.ts'

const atOnce = 4
/** While outlines arrive the map is laid out no more often than this. */
const pauseMs = 500

export interface Outlines {
  /** By thread. */
  known: ReadonlyMap<string, Outline>
  isComplete: boolean
  error?: Error
}

const nothing: Outlines = { known: new Map(), isComplete: false }

export function useOutlines(head: SessionHead | undefined): Outlines {
  const store = useStore()
  const [outlines, setOutlines] = useState<Outlines>(nothing)
  useEffect(() => {
    if (!head) return
    const asked = new Set<string>()
    let isStarted = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      setOutlines(old => replaced(old, gather(store, head, asked)))
    }
    const onChange = () => {
      const now = gather(store, head, asked)
      if (now.isComplete || (now.known.size > 0 && !isStarted)) {
        clearTimeout(timer)
        look()
      } else timer ??= setTimeout(look, pauseMs)
      isStarted ||= now.known.size > 0
    }
    look()
    const stop = store.subscribe(onChange)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [store, head])
  return outlines
}

/** What has come; asks for the next ones where few are on their way. */
function gather(store: SessionStore, head: SessionHead, asked: Set<string>): Outlines {
  const known = new Map<string, Outline>()
  let waiting = 0
  let isComplete = true
  let error: Error | undefined
  for (const { thread } of laneOrder(head.threads)) {
    const isMain = thread.kind === 'main'
    if (!asked.has(thread.id) && waiting >= atOnce) {
      isComplete = false
      continue
    }
    asked.add(thread.id)
    const state = store.outline(isMain ? undefined : thread.id)
    if (state.value) known.set(thread.id, state.value)
    else if (state.isLoading) waiting++
    if (isMain && state.error) error = state.error
    if (!state.value && state.isLoading) isComplete = false
    // Nothing else matters before the main thread is there.
    if (isMain && !state.value) break
  }
  return { known, isComplete, ...(error && { error }) }
}

/** The old one where nothing changed, so that nothing is laid out again. */
function replaced(old: Outlines, now: Outlines): Outlines {
  const isSame =
    old.known.size === now.known.size &&
    old.isComplete === now.isComplete &&
    old.error === now.error &&
    [...now.known].every(([thread, outline]) => old.known.get(thread) === outline)
  return isSame ? old : now
}
