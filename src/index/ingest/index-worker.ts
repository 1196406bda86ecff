// A worker thread that turns logs into rows. It gets files to read and gives batches; it waits where the writer is behind.

import { parentPort, workerData } from 'node:worker_threads'
import type { ByteSource } from '../../model/source.ts'
import { openSource, taskSource } from '../store/source.ts'
import type { ToWorker } from './hands.ts'
import { answerOf, readTask } from './read-task.ts'
import type { FileTask } from './rows.ts'

const { home } = workerData as { home: string }
let source: ByteSource | null = null
const tasks: FileTask[] = []
let credit = 0
let wake = () => {}

parentPort?.on('message', (message: ToWorker) => {
  if ('task' in message) tasks.push(message.task)
  else if ('credit' in message) credit += message.credit
  else source = null
  wake()
})

/** What is kept may be much, and is mostly not asked for while it is new. */
function everything(): ByteSource {
  source ??= openSource(home)
  return source
}

const changed = () =>
  new Promise<void>(done => {
    wake = done
  })

for (;;) {
  const task = tasks.shift()
  if (task === undefined) await changed()
  else await work(task)
}

async function work(task: FileTask): Promise<void> {
  // A task that names its frames is younger than what was opened before it.
  const open = task.frames === undefined ? everything : () => openSource(home)
  try {
    for await (const batch of readTask(task, taskSource(task, open))) {
      while (credit === 0) await changed()
      credit--
      parentPort?.postMessage({ batch })
    }
  } catch (error) {
    parentPort?.postMessage({ file: task.file, ...answerOf(error) })
  }
}
