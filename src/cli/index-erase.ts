// Erasing from archive and index together: forgetting a session must not leave its words in the index.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { noteWaiting } from '../answers/archive-mode.ts'
import { UserError } from '../answers/error.ts'
import { escapeForLine } from '../base/escape.ts'
import { FileError } from '../files/error.ts'
import type { Erased } from '../index/store/erase.ts'
import type { GlobalOptions } from './command.ts'
import { say } from './terminal/output.ts'

/** How long to wait for another process that writes the index. */
const longestWaitMs = 30_000

interface IndexErasure<Value> {
  value: Value
  /** The archive was changed, but the index may still have words of it. */
  isLeft: boolean
}

/** Does `act`, which erases from the archive, and erases the same from the index where there is one. */
export async function erasingFromIndex<Value>(
  globals: GlobalOptions,
  erased: Erased,
  act: () => Promise<Value>,
  waitMs = longestWaitMs,
): Promise<IndexErasure<Value>> {
  if (!hasIndex(globals)) {
    // What a killed first refresh left has its words, too.
    if (existsSync(join(globals.clew.home, 'index')))
      await (await import('../index/store/open.ts')).removeLeftovers(globals.clew.home)
    return { value: await act(), isLeft: false }
  }
  const { erasing } = await import('../index/store/erase.ts')
  const done: Value[] = []
  try {
    const value = await erasing({ ...waitingFor(globals), waitMs }, erased, async () => {
      done.push(await act())
      return done[0] as Value
    })
    return { value, isLeft: false }
  } catch (error) {
    if (done.length === 0) throw await refusal(error, globals)
    const reason = escapeForLine((error as Error).message)
    say(`clew: some of its words are still in the index (${reason}); to remove them: clew index rebuild`)
    return { value: done[0] as Value, isLeft: true }
  }
}

/** A session that is archived again is no longer erased when it goes from the disk. */
export async function cancelErasing(globals: GlobalOptions, session: string): Promise<void> {
  if (!hasIndex(globals)) return
  const { cancelErase } = await import('../index/store/erase.ts')
  await cancelErase(waitingFor(globals), session).catch(async error => {
    throw await refusal(error, globals)
  })
}

function hasIndex({ clew: { home } }: GlobalOptions): boolean {
  return existsSync(join(home, 'index', 'current'))
}

function waitingFor({ clew }: GlobalOptions) {
  return { home: clew.home, waitMs: longestWaitMs, onWait: noteWaiting(clew) }
}

async function refusal(error: unknown, { clew: { home } }: GlobalOptions): Promise<unknown> {
  if (error instanceof FileError && error.code === 'locked' && error.path?.startsWith(join(home, 'index'))) {
    return new UserError('another clew is writing the index, so nothing was erased; try again later')
  }
  const { NewerIndexError } = await import('../index/store/schema.ts')
  if (error instanceof NewerIndexError) return new UserError(`${error.message}; nothing was erased; use that version`)
  return error
}
