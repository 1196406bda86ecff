// A worker thread that searches for `clew grep`. It gets paths and gives matches, a batch each time it is asked. What only
// looks at bytes is there soon; what decodes is loaded when it is first needed.

import { parentPort, workerData } from 'node:worker_threads'
import { openPlaces } from '../archive/read/places.ts'
import { optimizeLate } from '../cli/terminal/late-optimizing.ts'
import { ByteFilter } from './candidates.ts'
import type { GrepAnswer, GrepAsk, GrepStart } from './hands.ts'
import type { GrepBatch, GrepScanner } from './scan.ts'
import { type Looks, type Sieve, sieveRanges } from './sieve.ts'
import { tallyFor } from './tally.ts'

const { options, home } = workerData as GrepStart
const { source } = await openPlaces(home)
let looks: Looks | undefined
/** For each lane: lines lie in memory of a scanner until it goes on. */
const scanners: GrepScanner[] = []
const searches: AsyncGenerator<GrepBatch>[] = []

parentPort?.on('message', async (question: GrepAsk | { sieve: Sieve }) => {
  if ('sieve' in question) return help(question.sieve)
  const { lane } = question
  const answer: GrepAnswer = await work(question).catch((error: unknown) => ({
    lane,
    error: error instanceof Error ? error.message : String(error),
  }))
  parentPort?.postMessage(answer)
})
// Whoever has no sieve decodes.
if (options.texts === null) await scannerOf(0)
else optimizeLate()

async function work({ lane, piece }: GrepAsk): Promise<GrepAnswer> {
  if (piece !== undefined) searches[lane] = (await scannerOf(lane)).search(piece)
  const next = await searches[lane]?.next()
  return { lane, batch: next === undefined || next.done ? null : next.value }
}

async function scannerOf(lane: number): Promise<GrepScanner> {
  const { GrepScanner } = await import('./scan.ts')
  scanners[lane] ??= new GrepScanner(options, source)
  return scanners[lane]
}

/** What fails here is searched all the same, and fails there. */
function help(sieve: Sieve): void {
  try {
    if (options.texts === null) return
    looks ??= looksFor(options.texts)
    sieveRanges(sieve, looks)
  } catch {}
}

function looksFor(texts: string[]): Looks {
  const filter = new ByteFilter(texts, options.expression.flags.includes('i'))
  return { source, filter, tally: tallyFor(options, filter) }
}
