// The worker for dropped files: opens them as one session and answers questions about it. It fetches nothing.

import type { SessionReader } from '../../src/view/reading.ts'
import type { FromWorker, Question, ToWorker } from './open.ts'
import { openFiles } from './session.ts'

/** Progress is reported no more often than people see it. */
const progressMs = 60
let reader: SessionReader | undefined

function send(message: FromWorker): void {
  self.postMessage(message)
}

self.addEventListener('message', (event: MessageEvent<ToWorker>) => {
  const message = event.data
  if (message.type === 'open') void open(message.files)
  else void answer(message.id, message.question)
})

async function open(files: readonly File[]): Promise<void> {
  let last = 0
  try {
    reader = await openFiles(files, (done, total) => {
      const now = performance.now()
      if (now - last < progressMs && done < total) return
      last = now
      send({ type: 'progress', done, total })
    })
    send({ type: 'opened' })
  } catch (error) {
    send({ type: 'refused', why: wordsOf(error) })
  }
}

async function answer(id: number, question: Question): Promise<void> {
  try {
    if (reader === undefined) throw new Error('No file is open.')
    send({ type: 'answer', id, value: await ask(reader, question) })
  } catch (error) {
    send({ type: 'failed', id, why: wordsOf(error) })
  }
}

function ask(reader: SessionReader, { name, args }: Question): Promise<unknown> {
  const method: (...given: never[]) => Promise<unknown> = reader[name]
  return method(...(args as never[]))
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
