// Stores a session as the Agent SDK does, and finds it with Clew.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { discover, diskSource, loadSession } from 'clew'
import { clewStore, WriteError } from 'clew/store'

const home = mkdtempSync(join(tmpdir(), 'bakery-'))
const store = clewStore({ home, clewHome: join(home, 'clew') })
const key = { projectKey: '-home-mira-bakery', sessionId: '5e0b9a52-3c1f-4a53-9d6e-0d6f2a1c7b11' }
const entry = (uuid: string, type: 'user' | 'assistant', content: string) => ({
  type,
  uuid: `5e0b9a52-0000-4000-8000-${uuid.padStart(12, '0')}`,
  timestamp: '2026-02-17T08:00:00.000Z',
  message: { role: type, content },
})

const entries = [entry('1', 'user', 'Three rolls, please.'), entry('2', 'assistant', 'That is 1.05 €.')]
await store.append(key, entries)
// The SDK repeats what was not acknowledged in time.
await store.append(key, entries)
console.log((await store.load(key))?.length, 'entries')

await store.append({ ...key, subpath: 'subagents/agent-a1' }, [entry('3', 'user', 'Count the rolls.')])
console.log(await store.listSubkeys(key), (await store.listSessions(key.projectKey)).length)

const [session] = (await discover(home)).sessions
if (!session) throw new Error('no such session')
for (const { thread, blocks } of (await loadSession(diskSource(), session)).events) console.log(thread, blocks)

await store.delete(key)
console.log(await store.load(key))
await store.load({ ...key, sessionId: '../elsewhere' }).catch(error => {
  if (error instanceof WriteError) console.log(error.code, error.message)
})
rmSync(home, { recursive: true })
