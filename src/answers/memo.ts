// One value for each state of what a handle knows: computed by the first question that needs it, and again when answers may
// have changed. What is computed is up to callers.

import type { Clew } from './clew.ts'

export interface Memo<Value> {
  (clew: Clew): Value
  /** As it was computed last, whatever has changed since. */
  last(clew: Clew): Value | undefined
}

interface Held<Value> {
  version: string
  value: Value
}

export function memo<Value>(compute: (clew: Clew) => Value): Memo<Value> {
  const known = new WeakMap<Clew, Held<Value>>()
  const of = (clew: Clew): Value => {
    const version = versionOf(clew)
    const held = known.get(clew)
    if (held?.version === version) return held.value
    const value = compute(clew)
    const made = { version, value }
    known.set(clew, made)
    // What failed is tried again.
    if (value instanceof Promise) value.catch(() => known.get(clew) === made && known.delete(clew))
    return value
  }
  return Object.assign(of, { last: (clew: Clew) => known.get(clew)?.value })
}

/** Changes when answers may: a command asks about one state, a handle that stays open about many. */
export function versionOf({ upkeep }: Clew): string {
  return upkeep?.version() ?? 'once'
}

/** One value for each key, computed again when its state is another. At most `most` keys are held. */
export function latest<Key, Value>(
  most = Number.POSITIVE_INFINITY,
): (key: Key, state: string, compute: () => Value) => Value {
  const known = new Map<Key, { state: string; value: Value }>()
  return (key, state, compute) => {
    const held = known.get(key)
    if (held?.state === state) return held.value
    if (known.size >= most) known.clear()
    const value = compute()
    known.set(key, { state, value })
    return value
  }
}
