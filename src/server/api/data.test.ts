import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { currentPath, openForWriting } from '../../index/store/open.ts'
import { openData, ProblemError, type ServerData } from './data.ts'

const samples = resolve(process.cwd(), 'samples/home')
const bakery = '57bae280-ea99-41b3-b705-d095bc6e35d6'
let home: string
let data: ServerData
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'clew-data-'))
  data = await openData({ home, roots: [samples], timezone: 'UTC', version: '1.2.3' })
  // Waits for the index.
  await data.search({ q: 'anything' })
}, 30_000)
afterAll(async () => {
  await data.close()
  rmSync(home, { recursive: true, force: true })
})

it('shows the sample history to who has no sessions yet, and changes nothing of it', async () => {
  const nobody = mkdtempSync(join(tmpdir(), 'clew-nobody-'))
  vi.stubEnv('HOME', nobody)
  vi.stubEnv('USERPROFILE', nobody)
  vi.stubEnv('CLAUDE_CONFIG_DIR', '')
  const own = await openData({ home: join(nobody, 'own') })
  try {
    const list = await own.list({})
    expect(list.isSample).toBe(true)
    expect(list.sessions.map(({ id }) => id)).toContain(bakery)
    expect(list.sessions.every(({ isLive }) => !isLive)).toBe(true)
    expect((await own.about()).isSample).toBe(true)
    expect((await own.head(bakery)).resume).toBeUndefined()
    for (const act of [() => own.keepNow(), () => own.restore(bakery), () => own.forget(bakery)]) {
      expect((await problemOf(act)).status).toBe(403)
    }
  } finally {
    await own.close()
    vi.unstubAllEnvs()
    rmSync(nobody, { recursive: true, force: true })
  }
})

it('lists and shows sessions beside an index of a newer Clew, and says why it cannot search', async () => {
  const newer = mkdtempSync(join(tmpdir(), 'clew-newer-'))
  const first = await openData({ home: newer, roots: [samples] })
  await first.search({ q: 'anything' })
  await first.close()
  const db = openForWriting(currentPath(newer) ?? '')
  db.exec('PRAGMA user_version = 99999999')
  db.close()
  const own = await openData({ home: newer, roots: [samples] })
  try {
    expect((await own.list({})).sessions.map(({ id }) => id)).toContain(bakery)
    expect((await own.head(bakery)).title).not.toBe('')
    const problem = await problemOf(() => own.search({ q: 'anything' }))
    expect(problem.status).toBe(409)
    expect(problem.message).toContain('newer Clew')
  } finally {
    await own.close()
    rmSync(newer, { recursive: true, force: true })
  }
}, 30_000)

async function problemOf(act: () => Promise<unknown>): Promise<ProblemError> {
  const error = await act().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ProblemError)
  return error as ProblemError
}

describe('lists', () => {
  it('tells what the server is', async () => {
    expect(await data.about()).toEqual({ version: '1.2.3', isSample: false, isReadOnly: false, timezone: 'UTC' })
  })

  it('lists all sessions, the last used first, with the projects that they belong to', async () => {
    const list = await data.list({})
    expect(list.total).toBe(list.sessions.length)
    expect(list.total).toBeGreaterThan(15)
    const ends = list.sessions.map(({ endedAt }) => endedAt ?? '')
    expect(ends).toEqual([...ends].sort().reverse())
    expect(list.projects.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(list.total)
    const found = list.sessions.find(({ id }) => id === bakery)
    expect(found).toMatchObject({ onDisk: true, isKept: false, slug: '-home-mira-bakery' })
    expect(found?.costUSD).toBeGreaterThan(0)
  })

  it('gives pages of the same list', async () => {
    const all = await data.list({})
    const page = await data.list({ from: '3', count: '4' })
    expect(page.from).toBe(3)
    expect(page.sessions).toEqual(all.sessions.slice(3, 7))
    expect(page.total).toBe(all.total)
  })

  it('filters by project, words, time and state', async () => {
    const all = (await data.list({})).sessions
    const project = all[0]?.project ?? ''
    expect((await data.list({ project })).sessions.every(one => one.project === project)).toBe(true)
    const withErrors = await data.list({ is: 'errors' })
    expect(withErrors.sessions).toEqual(all.filter(({ errors }) => errors > 0))
    const both = await data.list({ is: 'subagents,compactions' })
    expect(both.sessions).toEqual(all.filter(one => one.subagents > 0 && one.compactions > 0))
    const word = all[2]?.title.split(' ')[0] ?? ''
    expect((await data.list({ text: word.toUpperCase() })).sessions.map(({ id }) => id)).toContain(all[2]?.id)
    const day = (all[0]?.endedAt ?? '').slice(0, 10)
    expect((await data.list({ since: day })).sessions).toContainEqual(all[0])
    expect((await data.list({ until: '1999-01-01' })).sessions).toEqual([])
  })

  it('says what is wrong with a question', async () => {
    for (const query of [{ from: '-1' }, { count: 'all' }, { is: 'purple' }, { since: 'soon' }]) {
      expect((await problemOf(() => data.list(query))).status).toBe(400)
    }
  })
})

describe('one session', () => {
  it('says what it is', async () => {
    const head = await data.head(bakery)
    expect(head).toMatchObject({ id: bakery, onDisk: true, isKept: false })
    expect(head.threads[0]?.kind).toBe('main')
    expect(head.usage.costUSD).toBeGreaterThan(0)
    const listed = (await data.list({})).sessions.find(({ id }) => id === bakery)
    expect(head.title).toBe(listed?.title)
    expect(head.usage.costUSD).toBe(listed?.costUSD)
  })

  it('names the sessions that it goes on from, or that go on from it', async () => {
    const { sessions } = await data.list({})
    const ids = new Set(sessions.map(({ id }) => id))
    const links = []
    for (const { id } of sessions) links.push(...(await data.head(id)).lineage)
    expect(links.length).toBeGreaterThan(0)
    expect(links.some(({ session }) => ids.has(session))).toBe(true)
  })

  it('gives items slot by slot, the same in pages of any size', async () => {
    const outline = await data.outline(bakery, {})
    const all = await data.items(bakery, { from: '0', to: String(outline.ids.length) })
    expect(all.slots).toHaveLength(outline.ids.length)
    expect(all.slots.flat().length).toBeGreaterThan(5)
    const pages = []
    for (let from = 0; from < outline.ids.length; from += 7) {
      const to = Math.min(outline.ids.length, from + 7)
      pages.push(...(await data.items(bakery, { from: String(from), to: String(to) })).slots)
    }
    expect(pages).toEqual(all.slots)
  })

  it('begins with a head and the first slots', async () => {
    const { head, items } = await data.first(bakery)
    expect(head.title).toBe((await data.head(bakery)).title)
    const whole = await data.items(bakery, { from: '0', to: String(items.slots.length) })
    expect(items.slots).toEqual(whole.slots)
  })

  it('finds the place of every event, and its record as it was written', async () => {
    const outline = await data.outline(bakery, {})
    for (const [slot, event] of outline.ids.slice(0, 20).entries()) {
      expect(await data.place(bakery, { event })).toEqual({ thread: outline.thread, slot })
      const raw = await data.raw(bakery, { event })
      expect(raw.event).toBe(event)
      expect(raw.file).toBe(`${bakery}.jsonl`)
      expect(JSON.parse(raw.text)).toBeTypeOf('object')
      expect(raw.isCut).toBe(false)
    }
  })

  it('opens the threads of subagents', async () => {
    const { sessions } = await data.list({ is: 'subagents' })
    const id = sessions[0]?.id ?? ''
    const head = await data.head(id)
    const thread = head.threads.find(({ kind }) => kind === 'subagent')?.id ?? ''
    const outline = await data.outline(id, { thread })
    expect(outline.thread).toBe(thread)
    expect(outline.ids.length).toBeGreaterThan(0)
    const { slots } = await data.items(id, { thread, from: '0', to: String(outline.ids.length) })
    expect(slots.flat().length).toBeGreaterThan(0)
  })

  it('gives images that items show as bytes, by the item that shows them', async () => {
    const { sessions } = await data.list({ is: 'images' })
    expect(sessions.length).toBeGreaterThan(0)
    let seen = 0
    for (const { id } of sessions) {
      const { ids } = await data.outline(id, {})
      const { slots } = await data.items(id, { from: '0', to: String(ids.length) })
      for (const item of slots.flat()) {
        const media = item.body.filter(part => part.type === 'media')
        for (const [n, part] of media.entries()) {
          const { mediaType, bytes } = await data.media(id, { event: item.id, n: String(n) })
          expect(mediaType).toBe(part.mediaType)
          expect(bytes.length).toBe(part.bytes)
          seen++
        }
      }
    }
    expect(seen).toBeGreaterThan(0)
  })

  it('refuses what is not there, without a word about paths', async () => {
    const acts = [
      () => data.head('nothing'),
      () => data.head('../../etc/passwd'),
      () => data.outline(bakery, { thread: 'nobody' }),
      () => data.place(bakery, { event: 'none' }),
      () => data.raw(bakery, { event: '../x' }),
      () => data.raw(bakery, {}),
      () => data.media(bakery, { event: 'none', n: '0' }),
    ]
    for (const act of acts) {
      const problem = await problemOf(act)
      expect(problem.status).toBe(404)
      expect(`${problem.message} ${problem.hint ?? ''}`).not.toContain('/')
    }
    expect((await problemOf(() => data.items(bakery, { from: '9', to: '3' }))).status).toBe(400)
    expect((await problemOf(() => data.items(bakery, { from: '0', to: '100000' }))).status).toBe(400)
  })
})

describe('a session that is read by slots', () => {
  let large: ServerData
  beforeAll(async () => {
    large = await openData({ home, roots: [samples], largeBytes: 0 })
    await large.search({ q: 'anything' })
  })
  afterAll(() => large.close())

  it('answers as one that is held whole', async () => {
    for (const { id } of (await data.list({})).sessions) {
      const [head, whole] = [await large.head(id), await data.head(id)]
      expect(head).toEqual(whole)
      for (const { id: thread } of whole.threads) {
        const outline = await data.outline(id, { thread })
        expect(await large.outline(id, { thread }), id).toEqual(outline)
        const query = { thread, from: '0', to: String(Math.min(512, outline.ids.length)) }
        expect(await large.items(id, query), id).toEqual(await data.items(id, query))
      }
      const event = (await data.outline(id, {})).ids.at(-1) ?? ''
      expect(await large.raw(id, { event })).toEqual(await data.raw(id, { event }))
      expect(await large.context(id, {})).toEqual(await data.context(id, {}))
    }
  })
})

describe('everything', () => {
  it('is searched by words, hits of one session together', async () => {
    const result = await data.search({ q: 'the' })
    expect(result.total).toBeGreaterThan(3)
    const order = result.hits.map(({ session }) => session)
    expect(order).toEqual([...new Set(order)].flatMap(id => order.filter(one => one === id)))
    for (const hit of result.hits.slice(0, 10)) expect(await data.place(hit.session, { event: hit.event })).toBeTruthy()
  })

  it('is summed up in every way to the same totals', async () => {
    const totals = []
    for (const by of ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'tool', 'subagent', 'blocks']) {
      const answer = await data.usage({ by })
      expect(answer.rows.length, by).toBeGreaterThan(0)
      totals.push(answer.totals.totalTokens)
    }
    expect(new Set(totals).size).toBe(1)
    expect((await problemOf(() => data.usage({ by: 'moon' }))).status).toBe(400)
  })
})
