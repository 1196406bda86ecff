// How a reader likes transcripts: with or without thinking, long lines wrapped or not. The browser remembers it.

import { useSyncExternalStore } from 'react'

export interface Preferences {
  thinking: boolean
  wrap: boolean
}

const storageKey = 'clew reading'
const usual: Preferences = { thinking: true, wrap: true }
const listeners = new Set<() => void>()
let preferences = read()

function read(): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    const isOff = (name: string) => typeof stored === 'object' && stored !== null && Reflect.get(stored, name) === false
    return { thinking: !isOff('thinking'), wrap: !isOff('wrap') }
  } catch {
    return usual
  }
}

export function setPreference(name: keyof Preferences, value: boolean): void {
  preferences = { ...preferences, [name]: value }
  try {
    localStorage.setItem(storageKey, JSON.stringify(preferences))
  } catch {
    // A browser without storage forgets the choice with the page.
  }
  for (const listener of [...listeners]) listener()
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => preferences,
  )
}
