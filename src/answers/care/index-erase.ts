// Erasing from archive and index together: forgetting a session must not leave its words in the index.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { escapeForLine } from '../../base/escape.ts'
import { FileError } from '../../files/error.ts'
import type { Erased } from '../../index/store/erase.ts'
import { noteWaiting } from '../archive-mode.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'

/** How long to wait for another process that writes the index. */
const longestWaitMs = 30_000

interface IndexErasure<Value> {
  value: Value
  /** Why the index may still have words of it, though the archive was changed. */
  left?: string
}

/** Does `act`, which erases from the archive, and erases the same from the index where there is one. */
export async function erasingFromIndex<Value>(
  clew: Clew,
  erased: Erased,
  act: () => Promise<Value>,
  waitMs = longestWaitMs,
): Promise<IndexErasure<Value>> {
  if (!hasIndex(clew)) {
    // What a killed first refresh left has its words, too.
    if (existsSync(join(clew.home, 'index')))
      await (await import('../../index/store/open.ts')).removeLeftovers(clew.home)
    return { value: await act() }
  }
  const { erasing } = await import('../../index/store/erase.ts')
  const done: Value[] = []
  try {
    const value = await erasing({ ...waitingFor(clew), waitMs }, erased, async () => {
      done.push(await act())
      return done[0] as Value
    })
    return { value }
  } catch (error) {
    if (done.length === 0) throw await refusal(error, clew)
    return { value: done[0] as Value, left: error instanceof Error ? error.message : String(error) }
  }
}

/** For people: `left` is why. */
export function leftInIndexText(left: string): string {
  return `some of its words are still in the index (${escapeForLine(left)}); to remove them: clew index rebuild`
}

/** A session that is archived again is no longer erased when it goes from the disk. */
export async function cancelErasing(clew: Clew, session: string): Promise<void> {
  if (!hasIndex(clew)) return
  const { cancelErase } = await import('../../index/store/erase.ts')
  await cancelErase(waitingFor(clew), session).catch(async error => {
    throw await refusal(error, clew)
  })
}

function hasIndex({ home }: Clew): boolean {
  return existsSync(join(home, 'index', 'current'))
}

function waitingFor(clew: Clew) {
  return { home: clew.home, waitMs: longestWaitMs, onWait: noteWaiting(clew) }
}

async function refusal(error: unknown, { home }: Clew): Promise<unknown> {
  if (error instanceof FileError && error.code === 'locked' && error.path?.startsWith(join(home, 'index'))) {
    return new UserError('another clew is writing the index, so nothing was erased; try again later')
  }
  const { NewerIndexError } = await import('../../index/store/schema.ts')
  if (error instanceof NewerIndexError) return new UserError(`${error.message}; nothing was erased; use that version`)
  return error
}
