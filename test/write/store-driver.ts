// A process of its own that appends to a store and says what was acknowledged. Which store it is, the bundle's entry says.

import { writeSync } from 'node:fs'
import type { SessionKey, SessionStore } from '../../src/write/store/types.ts'
import { entry } from './store-entries.ts'

/** What a process does: batches of entries of its own, one after the other, and one that all processes have. */
export interface DriverTask {
  /** What `openStore` is given. */
  place: string
  key: SessionKey
  name: string
  batches: number
  /** Entries of a batch. */
  size: number
  /** Appended before each batch by every process: one entry with the same uuid. */
  shared?: boolean
}

export async function drive(openStore: (place: string) => SessionStore): Promise<void> {
  const { place, key, name, batches, size, shared } = JSON.parse(process.argv[2] ?? '{}') as DriverTask
  const store = openStore(place)
  for (let batch = 0; batch < batches; batch++) {
    if (shared === true) await store.append(key, [entry('shared', batch)])
    await store.append(key, batchOf(name, batch, size))
    writeSync(1, `ACK ${batch}\n`)
  }
  writeSync(1, 'DONE\n')
}

export function batchOf(name: string, batch: number, size: number) {
  return Array.from({ length: size }, (_, at) => entry(name, batch * size + at))
}
