// A store in a folder of a test: a Claude home and Clew's own next to each other.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clewStore, type FoldSessionSummary, type SessionStore } from '../../src/write/store/store.ts'
import { quickOps } from './fault-ops.ts'
import type { StoreFixture } from './store-contract.ts'

/** Counts, in the place of the SDK's own function. */
export const countingFold: FoldSessionSummary = (before, { sessionId }, entries, { mtime = 0 } = {}) => ({
  sessionId,
  mtime,
  data: { entries: Number(before?.data['entries'] ?? 0) + entries.length },
})

/** The store in a folder, as another process opens it. */
export function openStore(place: string): SessionStore {
  const folders = { home: join(place, 'home'), clewHome: join(place, 'clew') }
  return clewStore({ ...folders, ops: quickOps, waitMs: 60_000, foldSessionSummary: countingFold })
}

export function makeClewStore(): StoreFixture & { place: string } {
  const place = mkdtempSync(join(tmpdir(), 'clew-store-'))
  return { store: openStore(place), place, remove: () => rmSync(place, { recursive: true, force: true }) }
}
