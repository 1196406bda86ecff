// Searches many sessions in the worker pool: first which of them may match, then those, with results in the order of the
// sessions. It prints nothing.

import { type PlacesKey, placesOf } from '../archive/read/places.ts'
import { ReadError } from '../disk/read/read.ts'
import type { ByteSource, GenerationId } from '../model/source.ts'
import type { Task, WorkerPool } from '../worker/pool.ts'
import type { GrepOptions } from './hits.ts'
import { linePieces, overlappingPieces, usualBytes } from './pieces.ts'
import { Prefilter, prefilterOf, type RawExpression } from './prefilter.ts'
import { type GrepBatch, type SessionSearch, searchSession } from './search-session.ts'

interface FilterArgs {
  key: PlacesKey
  prefilter: RawExpression
  files: { session: number; generation: GenerationId }[]
}

/** Which sessions have a file that may match. */
export const filterTask: Task<FilterArgs, number[]> = {
  name: 'grep/filter',
  async run({ key, prefilter, files }) {
    const { source } = await placesOf(key)
    const found = new Set<number>()
    for (const { session, generation } of files) {
      if (!found.has(session) && mayMatch(source, generation, prefilter)) found.add(session)
    }
    return [...found]
  },
}

/** Whether any line of the file may match. A file that cannot be read may: the search reports it. */
function mayMatch(source: ByteSource, generation: GenerationId, expression: RawExpression): boolean {
  const prefilter = new Prefilter(expression)
  const { longest = usualBytes } = expression
  try {
    if (longest < usualBytes / 4) {
      for (const bytes of overlappingPieces(source, generation, longest)) if (prefilter.mayMatch(bytes)) return true
    } else {
      for (const { bytes } of linePieces(source, generation)) if (prefilter.mayMatch(bytes)) return true
    }
    return false
  } catch (error) {
    if (error instanceof ReadError) return true
    throw error
  }
}

/** So much is one task. */
const taskBytes = 8 * 1024 * 1024

/** The sessions that may match, in their order. `onProgress` gets the bytes that were read. */
export async function mayMatching<Search extends SessionSearch>(
  searches: readonly Search[],
  { expression }: GrepOptions,
  { pool, key, onProgress }: { pool: WorkerPool; key: PlacesKey; onProgress: (bytes: number) => void },
): Promise<readonly Search[]> {
  const prefilter = prefilterOf(expression)
  if (prefilter === null) return searches
  const files = searches
    .flatMap(({ logs, spills, earlier }, session) =>
      [...logs, ...spills, ...earlier.map(({ log }) => log)].map(({ generation, size }) => ({
        session,
        generation,
        size,
      })),
    )
    // No large file is left for the end, when other threads have nothing to do.
    .sort((one, other) => other.size - one.size)
  const tasks: (FilterArgs & { bytes: number })[] = []
  for (const { size, ...file } of files) {
    const last = tasks.at(-1)
    if (last === undefined || last.bytes + size > taskBytes) tasks.push({ key, prefilter, files: [file], bytes: size })
    else {
      last.files.push(file)
      last.bytes += size
    }
  }
  const found = new Set<number>()
  let at = 0
  for await (const sessions of pool.map(filterTask, tasks)) {
    for (const session of sessions) found.add(session)
    onProgress(tasks[at++]?.bytes ?? 0)
  }
  return searches.filter((_, session) => found.has(session))
}

interface SearchArgs {
  key: PlacesKey
  search: SessionSearch
  options: GrepOptions
}

export const searchTask: Task<SearchArgs, void, GrepBatch> = {
  name: 'grep/search',
  async run({ key, search, options }, emit) {
    const { source } = await placesOf(key)
    for await (const batch of searchSession(search, options, source)) await emit(batch)
  },
}

/** Receives what is found, in the order of the sessions. */
export interface Receiver<Search> {
  batch(search: Search, batch: GrepBatch): Promise<void>
  /** After the last batch of a session; false ends the search. */
  end(search: Search): Promise<boolean>
}

/**
 * Searches the sessions at the same time. A task that is ahead of its turn waits after some batches: memory stays bounded
 * whatever is found.
 */
export async function searchInOrder<Search extends SessionSearch>(
  searches: readonly Search[],
  options: GrepOptions,
  { pool, key }: { pool: WorkerPool; key: PlacesKey },
  receiver: Receiver<Search>,
): Promise<void> {
  const ahead = Math.max(1, pool.size * 2)
  const turns: Promise<boolean>[] = []
  let turn = Promise.resolve(true)
  for (const search of searches) {
    if (turns.length >= ahead && !(await turns.shift())) return
    const mine = turn
    let received: Promise<unknown> = mine
    const { logs, spills, earlier, session, countsTimeless } = search
    const args = { key, options, search: { logs, spills, earlier, session, countsTimeless } }
    const running = pool.run(searchTask, args, {
      onMessage(batch) {
        received = received.then(() => receiver.batch(search, batch))
        return received as Promise<void>
      },
    })
    turn = running.then(() => received).then(async () => (await mine) && (await receiver.end(search)))
    // Awaited in its turn; until then a failure must not count as unhandled.
    turn.catch(() => {})
    turns.push(turn)
  }
  for (const one of turns) if (!(await one)) return
}
