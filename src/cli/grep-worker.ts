// A worker thread that searches for `clew grep`. It gets paths and gives matches, a batch each time it is asked. What only
// looks at bytes is there soon; what decodes is loaded when it is first needed.

import { parentPort, workerData } from 'node:worker_threads'
import { ByteFilter } from './grep-candidates.ts'
import type { GrepAnswer, GrepAsk, GrepStart } from './grep-hands.ts'
import type { GrepBatch, GrepScanner } from './grep-scan.ts'
import { type Sieve, sieveRanges } from './grep-sieve.ts'
import { openPlaces } from './places.ts'

const { options, home } = workerData as GrepStart
const { source } = await openPlaces(home)
let scanner: GrepScanner | undefined
let search: AsyncGenerator<GrepBatch> | undefined

parentPort?.on('message', async (question: GrepAsk) => {
  if ('sieve' in question) return help(question.sieve)
  const answer: GrepAnswer = await work(question).catch((error: unknown) => ({
    error: error instanceof Error ? error.message : String(error),
  }))
  parentPort?.postMessage(answer)
})
// Whoever has no sieve decodes.
if (options.texts === null) await theScanner()

async function work(question: Exclude<GrepAsk, { sieve: unknown }>): Promise<GrepAnswer> {
  if ('piece' in question) search = (await theScanner()).search(question.piece)
  const next = await search?.next()
  return next === undefined || next.done ? { batch: null, isLast: true } : { batch: next.value, isLast: false }
}

async function theScanner(): Promise<GrepScanner> {
  if (scanner !== undefined) return scanner
  const loaded = await import('./grep-scan.ts')
  scanner ??= new loaded.GrepScanner(options, source)
  return scanner
}

/** What fails here is searched all the same, and fails there. */
function help(sieve: Sieve): void {
  try {
    if (options.texts !== null) {
      sieveRanges(sieve, source, new ByteFilter(options.texts, options.expression.flags.includes('i')))
    }
  } catch {}
}
