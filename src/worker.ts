// What worker threads run: every task by its name, loaded when it is first needed.

import { type AnyTask, serveTasks } from './worker/thread.ts'

const tasks: Readonly<Record<string, () => Promise<AnyTask>>> = {
  'index/read-file': async () => (await import('./index/ingest/read-file.ts')).readFileTask,
  'grep/search': async () => (await import('./grep/search.ts')).searchTask,
  'index/refresh': async () => (await import('./index/refresh/background.ts')).refreshTask,
  'ls/scan': async () => (await import('./answers/sessions/full-rows.ts')).scanTask,
  'check/job': async () => (await import('./answers/care/check.ts')).checkTask,
  'server/check': async () => (await import('./answers/care/health.ts')).checkTask,
  'server/new-session': async () => (await import('./answers/write/preview.ts')).newSessionTask,
  'server/whole-session': async () => (await import('./answers/reading/whole-session.ts')).wholeTask,
  'usage/scan': async () => (await import('./answers/usage/scan.ts')).scanTask,
}

serveTasks(async name => {
  const load = tasks[name]
  if (load === undefined) throw new Error(`unknown task ${name}`)
  return load()
})
