import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lines, TestHome } from '../../../test/home.ts'
import { discover } from '../../disk/discover/discover.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { type GenerationId, isBeingWritten, isOnDisk, type LogFile } from '../../model/source.ts'
import { OpenSessions, withoutGone } from './open-sessions.ts'

let folder: TestHome
beforeEach(async () => {
  folder = new TestHome()
})
afterEach(() => folder.remove())

const forkedAt = '2026-01-01T00:26:00.000Z'

function exchange(session: string, endedAt: string, origin?: string): object[] {
  const link = (uuid: string) => (origin === undefined ? {} : { forkedFrom: { sessionId: origin, messageUuid: uuid } })
  const common = { sessionId: session, isSidechain: false }
  const message = { id: 'm', role: 'assistant', model: 'claude-test-1', content: [{ type: 'text', text: 'Done' }] }
  const [u, a] = [`u-${session}`, `a-${session}`]
  const user = { type: 'user', uuid: u, parentUuid: null, message: { role: 'user', content: 'Bake' } }
  return [
    { ...common, ...user, timestamp: '2026-01-01T00:00:00.000Z', ...link(`u-${origin}`) },
    { ...common, type: 'assistant', uuid: a, parentUuid: u, timestamp: endedAt, message, ...link(`a-${origin}`) },
  ]
}

it('a fork that is read in the web app has the durations of its origin', async () => {
  const title = { type: 'custom-title', sessionId: 'fork', customTitle: 'Fork', uuid: 't', timestamp: forkedAt }
  folder.write('projects/p/origin.jsonl', lines(...exchange('origin', '2026-01-01T00:00:00.203Z')))
  folder.write('projects/p/fork.jsonl', lines(...exchange('fork', forkedAt, 'origin'), title))
  const { sessions } = await discover(folder.home)
  const open = new OpenSessions({
    home: folder.home,
    places: () => ({ tree: diskTree, source: diskTree.source }),
    db: () => null,
    find: async id => sessions.find(session => session.id === id) ?? null,
  })
  const reading = await open.reading('fork')
  expect(reading?.graph.turns).toMatchObject([{ durationMs: 203 }])
})

it('a session whose file was deleted, or ended long before its file was written, is not being written', async () => {
  folder.write('projects/p/origin.jsonl', lines(...exchange('origin', '2026-01-01T00:00:00.203Z')))
  const [session] = (await discover(folder.home)).sessions
  if (session === undefined) throw new Error('no session was found')
  const now = Date.now()
  const justNow = new Date(now).toISOString()
  expect(isBeingWritten(withoutGone(session), justNow, now)).toBe(true)
  expect(isBeingWritten(withoutGone(session), '2026-01-01T00:00:00.203Z', now)).toBe(false)
  rmSync(session.logs[0]?.path ?? '')
  expect(isBeingWritten(withoutGone(session), justNow, now)).toBe(false)
  expect(isOnDisk(withoutGone(session))).toBe(false)
})

it('a session that waits for a subagent is being written, what is left of a deleted one is not', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  const at = (minutes: number) => ({ generation: 'g' as GenerationId, size: 1, modifiedMs: now - minutes * 60_000 })
  const main: LogFile = { path: 'p/a.jsonl', role: 'session', ...at(20) }
  const agent: LogFile = { path: 'p/a/subagents/agent-1.jsonl', role: 'agent', ...at(1) }
  const endedAt = '2026-03-01T11:40:00Z'
  expect(isBeingWritten({ logs: [main] }, endedAt, now)).toBe(false)
  expect(isBeingWritten({ logs: [main, agent] }, endedAt, now)).toBe(true)
  expect(isBeingWritten({ logs: [agent] }, endedAt, now)).toBe(false)
  expect(isBeingWritten({ logs: [{ ...main, isArchiveOnly: true }, agent] }, endedAt, now)).toBe(false)
})

it('a session that nobody looks at any more is released, one on a screen stays', async () => {
  const followed = new Set(['origin', 'other'])
  folder.write('projects/p/origin.jsonl', lines(...exchange('origin', '2026-01-01T00:00:00.203Z')))
  folder.write('projects/p/other.jsonl', lines(...exchange('other', '2026-01-01T00:00:00.203Z')))
  const { sessions } = await discover(folder.home)
  const open = new OpenSessions({
    home: folder.home,
    places: () => ({ tree: diskTree, source: diskTree.source }),
    db: () => null,
    find: async id => sessions.find(session => session.id === id) ?? null,
    isFollowed: id => followed.has(id),
    idleMs: 40,
  })
  await open.reading('origin')
  await open.reading('other')
  expect(open.size).toBe(2)
  followed.delete('origin')
  await vi.waitFor(() => expect(open.size).toBe(1), { timeout: 10_000 })
  expect((await open.reading('origin'))?.graph.session).toBe('origin')
  open.drop()
})

it('what is in the context of a larger session is found in a worker thread, once, and is the same', async () => {
  folder.write('projects/p/origin.jsonl', lines(...exchange('origin', '2026-01-01T00:00:00.203Z')))
  const { sessions } = await discover(folder.home)
  const opened = (quickBytes: number) =>
    new OpenSessions({
      home: folder.home,
      places: () => ({ tree: diskTree, source: diskTree.source }),
      db: () => null,
      find: async id => sessions.find(session => session.id === id) ?? null,
      quickBytes,
    })
  const [small, large] = [opened(1e6), opened(0)]
  const [here, there] = [await small.reading('origin'), await large.reading('origin')]
  expect(await there?.reader.contextAt(null)).toEqual(await here?.reader.contextAt(null))
  expect(there?.reader.contextAt(null)).toBe(there?.reader.contextAt(null))
  expect(here?.reader.contextAt(null)).not.toBe(here?.reader.contextAt(null))
  small.drop()
  large.drop()
})
