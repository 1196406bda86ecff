import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ServerData } from '../../server/api/data.ts'
import { openData } from '../../server/api/open-data.ts'
import type { LiveMessage } from '../shapes.ts'

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
    await vi.waitFor(() => expect(grown().length).toBeGreaterThan(count), { timeout: 20_000, interval: 2 })
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
  await vi.waitFor(() => expect(grown().length).toBeGreaterThan(0), { timeout: 20_000, interval: 5 })
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
      expect(found.sessions[0]).toMatchObject({ id: fresh, live: true, title: 'A new day' })
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

function answer(uuid: string, output: number): string {
  const usage = { input_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: output }
  const content = [{ type: 'text', text: 'So it is' }]
  const message = { id: `msg_${uuid}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5', content, usage }
  const at = new Date().toISOString()
  const record = { type: 'assistant', uuid, parentUuid: null, sessionId: id, timestamp: at, requestId: uuid, message }
  return `${JSON.stringify(record)}\n`
}

it.each([whole, 0])(
  'counts what was just written, before it is indexed and after its file is gone',
  async largeBytes => {
    await open(largeBytes)
    const head = () => data.answer('GET /api/sessions/:id', {}, id)
    const before = await head()
    const count = grown().length
    appendFileSync(path(), answer('live-cost', 40_000))
    await vi.waitFor(() => expect(grown().length).toBeGreaterThan(count), { timeout: 5_000, interval: 2 })
    const { usage } = await head()
    expect(usage.outputTokens).toBe(before.usage.outputTokens + 40_000)
    expect((usage.costUSD ?? 0) - (before.usage.costUSD ?? 0)).toBeCloseTo(1.000015, 9)
    if (largeBytes === 0) return
    rmSync(path())
    await vi.waitFor(async () => expect((await head()).onDisk).toBe(false), { timeout: 5_000 })
    await data.answer('GET /api/search', { q: 'anything' })
    expect((await head()).usage).toEqual(usage)
  },
)

it('a session of which only the logs of subagents are left is not live', { timeout: 30_000 }, async () => {
  const agents = join(claude, 'projects', project, id, 'subagents')
  mkdirSync(agents, { recursive: true })
  writeFileSync(join(agents, 'agent-a1.jsonl'), line('agent-1', 'Count the loaves'))
  await open(whole)
  const list = () => data.answer('GET /api/sessions', {})
  appendFileSync(join(agents, 'agent-a1.jsonl'), line('agent-2', 'There are nine'))
  await vi.waitFor(async () => expect((await list()).sessions[0]).toMatchObject({ id, live: true }), {
    timeout: 9_000,
  })
  rmSync(path())
  await vi.waitFor(async () => expect((await list()).sessions.filter(({ live }) => live)).toEqual([]), {
    timeout: 20_000,
    interval: 50,
  })
})
