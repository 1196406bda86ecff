// Entries as the SDK hands them to a store: small, invented, and the same for the same name and number.

import { createHash } from 'node:crypto'
import type { SessionStoreEntry } from '../../src/write/store/types.ts'

/** A record with a uuid of its own. `bytes`: about how long its text is. */
export function entry(name: string, number: number, bytes = 20): SessionStoreEntry {
  const content = `${name} ${number} ${'x'.repeat(bytes)}`
  const timestamp = new Date(Date.UTC(2026, 0, 1) + number).toISOString()
  return { type: 'user', uuid: uuidOf(`${name} ${number}`), timestamp, message: { role: 'user', content } }
}

export function entries(name: string, count: number, bytes?: number): SessionStoreEntry[] {
  return Array.from({ length: count }, (_, number) => entry(name, number, bytes))
}

/** What has no uuid is appended however often it comes. */
export const marker: SessionStoreEntry = { type: 'mode', mode: 'plan' }

export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
