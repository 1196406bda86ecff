import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LiveMessage } from './api.ts'
import type { ServerData } from './data.ts'
import { openData } from './open-data.ts'

const id = '9a1f4da4-54fa-4745-a6a3-3c7a972d7e1b'
const project = '-home-mira-bakery'
let folder: string
let claude: string
let data: ServerData
let received: LiveMessage[]
let stop: () => void

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clew-live-'))
  claude = join(folder, 'claude')
  mkdirSync(join(claude, 'projects', project), { recursive: true })
  const from = resolve(process.cwd(), 'samples/home/projects', project, `${id}.jsonl`)
  cpSync(from, join(claude, 'projects', project, `${id}.jsonl`))
  received = []
})

async function open(largeBytes: number): Promise<void> {
  data = await openData({ home: join(folder, 'own'), roots: [claude], largeBytes })
  // Waits for the index.
  await data.answer('GET /api/search', { q: 'anything' })
  stop = data.follow(id, message => received.push(message))
  await data.answer('GET /api/sessions/:id', {}, id)
}
const whole = 1e9

afterEach(async () => {
  stop()
  await data.close()
  rmSync(folder, { recursive: true, force: true })
})

function line(uuid: string, text: string, session = id): string {
  const message = { role: 'user', content: text }
  const at = new Date().toISOString()
  return `${JSON.stringify({ type: 'user', uuid, parentUuid: null, sessionId: session, timestamp: at, message })}\n`
}

const path = () => join(claude, 'projects', project, `${id}.jsonl`)
const grown = () => received.filter(message => message.type === 'grown')

it.each([
  ['a session that is held whole', whole],
  ['a session that is read by slots', 0],
])('reports a record appended to %s soon, and returns it', async (_, largeBytes) => {
  await open(largeBytes)
  const before = (await data.answer('GET /api/sessions/:id/outline', {}, id)).ids.length
  for (const uuid of ['live-1', 'live-2', 'live-3']) {
    const count = grown().length
    appendFileSync(path(), line(uuid, `Now ${uuid}`))
    await vi.waitFor(() => expect(grown().length).toBeGreaterThan(count), { timeout: 5_000, interval: 2 })
    await new Promise(done => setTimeout(done, 150))
  }
  const outline = await data.answer('GET /api/sessions/:id/outline', {}, id)
  expect(outline.ids.slice(before)).toEqual(['live-1', 'live-2', 'live-3'])
  const message = grown().at(-1)
  expect(message?.type === 'grown' && message.threads[id]).toBe(outline.ids.length)
  const items = await data.answer('GET /api/sessions/:id/items', { from: String(before), to: String(before + 3) }, id)
  expect(JSON.stringify(items.slots[2])).toContain('Now live-3')
})

it.each([whole, 0])('shows a record only as far as it is written', async largeBytes => {
  await open(largeBytes)
  const text = line('live-half', 'In two parts')
  appendFileSync(path(), text.slice(0, 40))
  await vi.waitFor(() => expect(grown().length).toBeGreaterThan(0), { timeout: 5_000, interval: 5 })
  expect((await data.answer('GET /api/sessions/:id/outline', {}, id)).ids).not.toContain('live-half')
  appendFileSync(path(), text.slice(40))
  await vi.waitFor(
    async () => expect((await data.answer('GET /api/sessions/:id/outline', {}, id)).ids).toContain('live-half'),
    { timeout: 5_000 },
  )
})

it.each([whole, 0])('reads a rewritten session again', async largeBytes => {
  await open(largeBytes)
  writeFileSync(path(), line('other-1', 'Something else altogether'))
  await vi.waitFor(
    async () => expect((await data.answer('GET /api/sessions/:id/outline', {}, id)).ids).toEqual(['other-1']),
    { timeout: 5_000 },
  )
})

it('reports a new list when a session begins, and opens it before it is indexed', { timeout: 60_000 }, async () => {
  await open(whole)
  const fresh = '00000000-aaaa-4000-8000-000000000001'
  const { version } = await data.answer('GET /api/sessions', {})
  writeFileSync(join(claude, 'projects', project, `${fresh}.jsonl`), line('n1', 'A new day', fresh))
  await vi.waitFor(() => expect(received.some(({ type }) => type === 'list')).toBe(true), { timeout: 20_000 })
  const list = received.find(message => message.type === 'list')
  expect(list?.type === 'list' && list.live).toContain(fresh)
  expect((await data.answer('GET /api/sessions/:id/outline', {}, fresh)).ids).toEqual(['n1'])
  await vi.waitFor(
    async () => {
      const found = await data.answer('GET /api/sessions', {})
      expect(found.sessions[0]).toMatchObject({ id: fresh, isLive: true, title: 'A new day' })
      expect(found.version).not.toBe(version)
    },
    { timeout: 30_000, interval: 100 },
  )
})

it('reports nothing to former followers, and nothing of other sessions', async () => {
  await open(whole)
  const all: LiveMessage[] = []
  const stopOther = data.follow(undefined, message => all.push(message))
  stop()
  appendFileSync(path(), line('live-9', 'Unheard'))
  await vi.waitFor(() => expect(all.some(({ type }) => type === 'list')).toBe(true), { timeout: 20_000 })
  expect(all.some(({ type }) => type === 'grown')).toBe(false)
  expect(grown()).toEqual([])
  stopOther()
})
