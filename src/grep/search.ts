// Searches many sessions in the worker pool, with results in the order of the sessions. It prints nothing.

import { type PlacesKey, placesOf } from '../archive/read/places.ts'
import type { Task, WorkerPool } from '../worker/pool.ts'
import type { GrepOptions } from './hits.ts'
import { compileOptions, filesOf, type GrepBatch, type SessionSearch, searchSession } from './search-session.ts'

interface SearchArgs {
  key: PlacesKey
  searches: SessionSearch[]
  options: GrepOptions
}

interface SearchMessage {
  /** Position in the task. */
  session: number
  batch: GrepBatch
}

export const searchTask: Task<SearchArgs, void, SearchMessage> = {
  name: 'grep/search',
  async run({ key, searches, options }, emit) {
    const { source } = await placesOf(key)
    const compiled = compileOptions(options)
    for (const [session, search] of searches.entries()) {
      for await (const batch of searchSession(search, compiled, source)) await emit({ session, batch })
    }
  },
}

/** Small sessions are searched together: a task for each would cost more than the search. */
const taskBytes = 8 * 1024 * 1024
/** Tasks per thread that may be ahead of the first unfinished one: a large session must not leave other threads idle. */
const tasksAhead = 8

export function searchBytes(search: SessionSearch): number {
  return filesOf(search).reduce((sum, { size }) => sum + size, 0)
}

interface InOrder {
  pool: WorkerPool
  key: PlacesKey
  /** This many bytes more were searched. */
  onProgress: (bytes: number) => void
  /** Receives what is found, in the order of the sessions; an error ends the search. */
  onBatch: (session: number, batch: GrepBatch) => Promise<void>
}

/** A task that is ahead of its turn waits after some batches: memory stays bounded whatever is found. */
export async function searchInOrder(
  searches: readonly SessionSearch[],
  options: GrepOptions,
  { pool, key, onProgress, onBatch }: InOrder,
): Promise<void> {
  const ahead = Math.max(1, pool.size * tasksAhead)
  const turns: Promise<void>[] = []
  let turn = Promise.resolve()
  for (let from = 0; from < searches.length; ) {
    if (turns.length >= ahead) await turns.shift()
    let bytes = 0
    let to = from
    while (to < searches.length && bytes < taskBytes) bytes += searchBytes(searches[to++] as SessionSearch)
    const first = from
    let received = turn
    const running = pool.run(
      searchTask,
      { key, options, searches: searches.slice(from, to) },
      {
        onMessage({ session, batch }) {
          received = received.then(() => onBatch(first + session, batch))
          return received
        },
      },
    )
    turn = running.then(() => {
      onProgress(bytes)
      return received
    })
    // Awaited in its turn; until then a failure must not count as unhandled.
    turn.catch(() => {})
    turns.push(turn)
    from = to
  }
  await Promise.all(turns)
}
