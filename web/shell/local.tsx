// The file that was dropped into the window, which lives as long as the page: decoded here, never sent anywhere.

import { useSyncExternalStore } from 'react'
import { adoptReader } from '../reader.ts'
import type { Reader, SessionStore } from '../store.ts'
import { Empty } from './states.tsx'

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

/** The address names a dropped file, and the page was loaded anew since. */
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
