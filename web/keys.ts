// The keyboard: what the parts on screen do on which keys, and a list of them for the help. One listener for the
// window; keys typed into a field are the field's.

import { useEffect, useRef, useSyncExternalStore } from 'react'

/** Return false to leave the key to the browser and to others. */
export type KeyAction = (event: KeyboardEvent) => unknown

/** Keys by name: `j`, `?`, `Enter`, `Esc`, `Up`; two of them with a space for one after the other: `g m`. */
export type KeyMap = { [keys: string]: KeyAction | [says: string, action: KeyAction] }

export interface KeyGroup {
  /** What these keys are for. */
  purpose: string
  keys: { keys: string; says: string }[]
}

interface Registered {
  purpose: string
  read(): KeyMap
}

/** What keys mean everywhere, where a part does not say it itself. */
const usual: { [keys: string]: string } = {
  j: 'next',
  k: 'previous',
  n: 'next prompt',
  p: 'previous prompt',
  e: 'next error',
  o: 'open or close',
  Enter: 'open or close',
  r: 'the raw record',
  c: 'copy',
  '/': 'search everything',
  f: 'find in this session',
  'g h': 'home',
  'g t': 'transcript',
  'g m': 'map',
  'g c': 'context',
  'g f': 'files',
  'g u': 'usage',
  'g a': 'archive',
  'g s': 'search',
  'g i': 'history of prompts',
  'g l': 'health',
  'g ,': 'settings',
  Esc: 'close, leave a field',
  '?': 'this help',
}

const renamed: { [key: string]: string } = {
  Escape: 'Esc',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  ' ': 'Space',
}
/** The browser's own find sees only what is on screen; a part that takes it finds everything. */
const findKey = 'Ctrl+F'
/** How long the first key of two waits for the second. */
const sequenceMs = 1200

const registered: Registered[] = []
const listeners = new Set<() => void>()
let groups: KeyGroup[] = []

/** Follows what is typed and says which entry it makes: `g` then `m` is `g m`. */
export class KeySequence {
  #first: { name: string; at: number } | undefined

  /** The names to look for, the longer one first, and whether a longer one may follow. */
  push(name: string, at: number, isPrefix: (name: string) => boolean): string[] {
    const first = this.#first
    this.#first = undefined
    const names = first && at - first.at <= sequenceMs ? [`${first.name} ${name}`, name] : [name]
    if (names.length === 1 && isPrefix(name)) this.#first = { name, at }
    return names
  }
}

/** The name of a pressed key; undefined for those that are not ours: with Ctrl, Alt or the system's key, but for `Ctrl+F`. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>): string | undefined {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'f') return findKey
  if (event.ctrlKey || event.metaKey || event.altKey) return
  return renamed[event.key] ?? event.key
}

/** Whether a key belongs to what has the focus: all keys to a field, Enter and Space to a button or link. */
export function belongsToFocus(name: string, target: { tagName?: string; isContentEditable?: boolean; type?: string }) {
  const tag = target.tagName ?? ''
  const isField = tag === 'TEXTAREA' || tag === 'SELECT' || (tag === 'INPUT' && !isButtonLike(target.type))
  if (isField || target.isContentEditable === true) return name !== 'Esc' && name !== findKey
  const isPressable = tag === 'A' || tag === 'BUTTON' || tag === 'SUMMARY' || tag === 'INPUT'
  return isPressable && (name === 'Enter' || name === 'Space')
}

function isButtonLike(type: string | undefined): boolean {
  return type === 'checkbox' || type === 'radio' || type === 'button' || type === 'submit'
}

const sequence = new KeySequence()

function onKeyDown(event: KeyboardEvent): void {
  const name = keyName(event)
  if (name === undefined || event.defaultPrevented || event.isComposing) return
  // An open dialog has the keyboard to itself; the help closes by the key that opened it.
  if (name !== '?' && document.querySelector('dialog:modal')) return
  const target = event.target instanceof HTMLElement ? event.target : undefined
  if (target && belongsToFocus(name, target as HTMLElement & { type?: string })) return
  const maps = registered.map(one => one.read()).reverse()
  const isPrefix = (start: string) => maps.some(map => Object.keys(map).some(keys => keys.startsWith(`${start} `)))
  for (const keys of sequence.push(name, event.timeStamp, isPrefix)) {
    for (const map of maps) {
      const entry = Object.hasOwn(map, keys) ? map[keys] : undefined
      if (!entry) continue
      const action = typeof entry === 'function' ? entry : entry[1]
      if (action(event) === false) continue
      event.preventDefault()
      return
    }
  }
}

function notify(): void {
  groups = registered.map(one => ({ purpose: one.purpose, keys: listKeys(one.read()) }))
  for (const listener of [...listeners]) listener()
}

/** What the help says of a map. */
export function listKeys(map: KeyMap): KeyGroup['keys'] {
  return Object.entries(map).map(([keys, entry]) => ({
    keys,
    says: typeof entry === 'function' ? (usual[keys] ?? keys) : entry[0],
  }))
}

/**
 * Keys that work while this part is on screen. The part that came last is asked first, so an open panel takes Esc before
 * the screen below it.
 */
export function useKeys(map: KeyMap, purpose: string): void {
  const latest = useRef(map)
  latest.current = map
  useEffect(() => {
    const one: Registered = { purpose, read: () => latest.current }
    if (registered.length === 0) window.addEventListener('keydown', onKeyDown)
    registered.push(one)
    notify()
    return () => {
      registered.splice(registered.indexOf(one), 1)
      if (registered.length === 0) window.removeEventListener('keydown', onKeyDown)
      notify()
    }
  }, [purpose])
}

/** All keys that work now, for the help. */
export function useKeyGroups(): KeyGroup[] {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => groups,
  )
}
