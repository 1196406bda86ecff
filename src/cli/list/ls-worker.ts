// A worker thread that reads sessions whole for `clew ls`. It gets paths and gives rows, one after the other.

import { parentPort, workerData } from 'node:worker_threads'
import { openPlaces } from '../../archive/read/places.ts'
import type { Answer, Start, Task } from './list-hands.ts'
import { Scanner } from './list-scan.ts'

const { options, home } = workerData as Start
const scanner = new Scanner(options, (await openPlaces(home)).source)

parentPort?.on('message', async (task: Task) => {
  const answer: Answer = await work(task).catch((error: unknown) => ({
    error: error instanceof Error ? error.message : String(error),
  }))
  parentPort?.postMessage(answer)
})

async function work(task: Task): Promise<Answer> {
  if (task.folder === undefined) return { value: await scanner.scan(task.session) }
  return { value: await scanner.retitle(task.session, task.folder) }
}
