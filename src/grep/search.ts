// Searches many sessions in the worker pool, with results in the order of the sessions. It prints nothing.

import { type PlacesKey, placesOf } from '../archive/read/places.ts'
import type { ByteSource } from '../model/source.ts'
import type { Task, WorkerPool } from '../worker/pool.ts'
import type { GrepBatch, GrepOptions } from './hits.ts'
import { type CompiledOptions, compileOptions, filesOf, type SessionSearch, searchSession } from './search-session.ts'
import { mayBeSlow, TooSlow, withinTime } from './time-limit.ts'

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
    const messages = mayBeSlow(options.expression)
      ? watchedSearch(searches, compiled, source)
      : searchAll({ searches, session: 0 }, compiled, source)
    for (const message of messages) if (message !== null) await emit(message)
  },
}

/** Which session is searched. */
interface Place {
  searches: readonly SessionSearch[]
  session: number
}

/** From the place on, which moves. */
function* searchAll(place: Place, options: CompiledOptions, source: ByteSource): Generator<SearchMessage | null> {
  for (; place.session < place.searches.length; place.session++) {
    const { session } = place
    const search = place.searches[session] as SessionSearch
    for (const batch of searchSession(search, options, source)) yield batch === null ? null : { session, batch }
    yield null
  }
}

/** So long it searches before the time limit is renewed. */
const stepMs = 50
/** And so much of it is held back: a batch may have much text. */
const mostMessages = 32

/**
 * The same with a time limit, which costs nothing that can be measured. Where the time is up, the expression is slow on a line of
 * the session: that is searched again with a limit for each line, and what was reported of it is left out.
 */
function* watchedSearch(
  searches: readonly SessionSearch[],
  options: CompiledOptions,
  source: ByteSource,
): Generator<SearchMessage> {
  for (const place: Place = { searches, session: 0 }; place.session < searches.length; place.session++) {
    const reported = new Map<number, number>()
    try {
      for (const message of inSteps(searchAll(place, options, source))) {
        const { session, batch } = message
        reported.set(session, (reported.get(session) ?? 0) + batch.hits.length + batch.count)
        yield message
      }
    } catch (error) {
      if (!(error instanceof TooSlow)) throw error
      const { session } = place
      const search = searches[session] as SessionSearch
      let known = reported.get(session) ?? 0
      for (const batch of searchSession(search, options, source, true)) {
        if (batch === null) continue
        const isKnown = Math.min(known, batch.hits.length + batch.count)
        known -= isKnown
        const hits = batch.hits.slice(isKnown)
        yield { session, batch: { ...batch, hits, count: Math.max(0, batch.count - isKnown) } }
      }
    }
  }
}

/** What is found, where each step has a time limit. */
function* inSteps(found: Generator<SearchMessage | null>): Generator<SearchMessage> {
  let isDone = false
  const step = (): SearchMessage[] => {
    const messages: SearchMessage[] = []
    const end = performance.now() + stepMs
    while (!isDone && messages.length < mostMessages && performance.now() < end) {
      const { value, done } = found.next()
      isDone = done === true
      if (!isDone && value) messages.push(value)
    }
    return messages
  }
  while (!isDone) yield* withinTime(step)
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
