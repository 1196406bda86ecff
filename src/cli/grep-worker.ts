// A worker thread that searches sessions for `clew grep`. It gets paths and gives matches, a batch each time it is asked.

import { parentPort, workerData } from 'node:worker_threads'
import type { GrepAnswer, GrepAsk, GrepStart } from './grep-hands.ts'
import { type GrepBatch, GrepScanner } from './grep-scan.ts'
import { openPlaces } from './places.ts'

const { options, home } = workerData as GrepStart
const scanner = new GrepScanner(options, (await openPlaces(home)).source)
let search: AsyncGenerator<GrepBatch> | undefined

parentPort?.on('message', async (question: GrepAsk) => {
  const answer: GrepAnswer = await work(question).catch((error: unknown) => ({
    error: error instanceof Error ? error.message : String(error),
  }))
  parentPort?.postMessage(answer)
})

async function work(question: GrepAsk): Promise<GrepAnswer> {
  if ('task' in question) search = scanner.search(question.task)
  const next = await search?.next()
  return next === undefined || next.done ? { batch: null, isLast: true } : { batch: next.value, isLast: false }
}
