// The other end of the pool, inside a worker thread: runs one task after the other. Which tasks there are is handed in.

import { parentPort } from 'node:worker_threads'
import { type FromWorker, messagesAhead, type Task, type ToWorker } from './pool.ts'

// biome-ignore lint/suspicious/noExplicitAny: tasks differ in what they take and give; callers get the types from the task itself
export type AnyTask = Task<any, any, any> | Task<any, any, never>

/** Serves the pool until the thread is ended. `load`: finds a task by its name. */
export function serveTasks(load: (name: string) => Promise<AnyTask>): void {
  let current = 0
  let unacknowledged = 0
  let wake = () => {}

  parentPort?.on('message', (message: ToWorker) => {
    if ('ack' in message) {
      // Messages of an earlier task may be acknowledged after its result.
      if (message.id !== current) return
      unacknowledged--
      wake()
    } else {
      current = message.id
      unacknowledged = 0
      void work(message.id, message.name, message.args)
    }
  })

  async function work(id: number, name: string, args: unknown): Promise<void> {
    // While a task runs, nothing but its own work holds the thread: one that waits for what never comes ends it, which the pool
    // reports, instead of holding the process for ever.
    parentPort?.unref()
    try {
      const task = await load(name)
      const send = (answer: FromWorker) => parentPort?.postMessage(answer)
      const result = await task.run(args, async message => {
        unacknowledged++
        send({ id, message })
        while (unacknowledged >= messagesAhead) {
          parentPort?.ref()
          await new Promise<void>(done => (wake = done))
          parentPort?.unref()
        }
      })
      send({ id, result })
    } catch (error) {
      // A structured clone keeps the message of an error, not its own fields such as `code`.
      const plain = error instanceof Error ? error : new Error(String(error))
      parentPort?.postMessage({ id, error: plain } satisfies FromWorker)
    } finally {
      parentPort?.ref()
    }
  }
}
