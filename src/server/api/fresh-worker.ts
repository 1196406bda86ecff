// A thread that refreshes archive and index whenever the server asks for it. It decides nothing about when.

import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { type FreshStart, freshAnswer } from './fresh-answer.ts'

// On Linux it is this thread alone that gives way to others.
if (process.platform === 'linux') {
  try {
    setPriority(0, 5)
  } catch {
    // Then it does not give way.
  }
}

parentPort?.on('message', async () => {
  parentPort?.postMessage(await freshAnswer(workerData as FreshStart))
})
