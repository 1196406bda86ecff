// What worker threads run: every task by its name, loaded when it is first needed.

import type { Task } from './worker/pool.ts'
import { serveTasks } from './worker/thread.ts'

// biome-ignore lint/suspicious/noExplicitAny: tasks differ in what they take and give; callers get the types from the task itself
type AnyTask = Task<any, any, never>

const tasks: Readonly<Record<string, () => Promise<AnyTask>>> = {
  'index/refresh': async () => (await import('./index/refresh/background.ts')).refreshTask,
  'server/whole-session': async () => (await import('./server/sessions/whole-session.ts')).wholeTask,
  'usage/scan': async () => (await import('./cli/usage/usage-scan.ts')).scanTask,
}

serveTasks(async name => {
  const load = tasks[name]
  if (load === undefined) throw new Error(`unknown task ${name}`)
  return load()
})
