// A worker thread that turns logs into rows. It gets files to read and gives batches; it waits where the writer is behind.

import { parentPort, workerData } from 'node:worker_threads'
import { GivenTexts } from './extract.ts'
import type { ToWorker } from './hands.ts'
import { answerOf, readTask } from './read-task.ts'
import type { FileTask } from './rows.ts'
import { openSource } from './source.ts'

const { home } = workerData as { home: string }
let source = openSource(home)
let given = new GivenTexts()
const tasks: FileTask[] = []
let credit = 0
let wake = () => {}

parentPort?.on('message', (message: ToWorker) => {
  if ('task' in message) tasks.push(message.task)
  else if ('credit' in message) credit += message.credit
  else {
    source = openSource(home)
    // What was given before may have been taken out since.
    given = new GivenTexts()
  }
  wake()
})

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
  try {
    for await (const batch of readTask(task, source, given)) {
      while (credit === 0) await changed()
      credit--
      parentPort?.postMessage({ batch }, [batch.words.buffer as ArrayBuffer])
    }
  } catch (error) {
    parentPort?.postMessage({ file: task.file, ...answerOf(error) })
  }
}
