// What asks for a new session made of another one: buttons on screens call it, and the one dialog of the window answers.

import { useSyncExternalStore } from 'react'
import type { SessionHead } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'
import { localSession } from '../route.ts'

export type Asked =
  | { kind: 'fork'; session: string; at: string; what: 'prompt' | 'answer' }
  | { kind: 'repair'; session: string }

let asked: Asked | undefined
const listeners = new Set<() => void>()

/** Opens the dialog with its preview; undefined closes it. */
export function askNewSession(next: Asked | undefined): void {
  asked = next
  for (const listener of [...listeners]) listener()
}

export function useAsked(): Asked | undefined {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => asked,
  )
}

/** What a fork at an item is; undefined where there can be none: in a subagent's thread, or in a dropped file. */
export function forkAt(
  { id, kind, thread }: Pick<ViewItem, 'id' | 'kind' | 'thread'>,
  session: string,
  head: Pick<SessionHead, 'threads'> | undefined,
): Asked | undefined {
  if (kind !== 'prompt' && kind !== 'answer') return undefined
  const isMain = head?.threads.some(one => one.kind === 'main' && one.id === thread) === true
  return isMain && session !== localSession ? { kind: 'fork', session, at: id, what: kind } : undefined
}
