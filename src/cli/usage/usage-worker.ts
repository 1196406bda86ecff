// A worker thread that helps to read usage from logs. It gets one job, takes parts of it until none is left, and answers with
// rows of numbers.

import { parentPort, workerData } from 'node:worker_threads'
import { openPlaces } from '../../archive/read/places.ts'
import { ScanHand, type ScanJob, type ScanShare } from './usage-scan-work.ts'

/** What a thread answers with. */
export type ScanAnswer = { share: ScanShare } | { error: string }

const { home } = workerData as { home: string }
const { source } = await openPlaces(home)

parentPort?.once('message', (job: ScanJob) => {
  try {
    const hand = new ScanHand(job, source)
    while (hand.step());
    const share = hand.share()
    const memory = [share.scanned.numbers.buffer, share.decoded.numbers.buffer]
    parentPort?.postMessage({ share } satisfies ScanAnswer, memory as ArrayBuffer[])
  } catch (error) {
    parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies ScanAnswer)
  }
})
