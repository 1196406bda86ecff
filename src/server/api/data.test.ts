import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { currentPath, openForWriting } from '../../index/store/open.ts'
import { type ProblemError, problemOf } from '../http/problem.ts'
import type { ServerData } from './data.ts'
import { openData } from './open-data.ts'

const samples = resolve(process.cwd(), 'samples/home')
const bakery = '57bae280-ea99-41b3-b705-d095bc6e35d6'
let home: string
let data: ServerData
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'clew-data-'))
  data = await openData({ home, roots: [samples], timezone: 'UTC', version: '1.2.3' })
  // Waits for the index.
  await data.answer('GET /api/search', { q: 'anything' })
}, 30_000)
afterAll(async () => {
  await data.close()
  rmSync(home, { recursive: true, force: true })
})

it('shows the sample history to who has no sessions yet, and changes nothing of it', async () => {
  const userHome = mkdtempSync(join(tmpdir(), 'clew-nobody-'))
  vi.stubEnv('HOME', userHome)
  vi.stubEnv('USERPROFILE', userHome)
  vi.stubEnv('CLAUDE_CONFIG_DIR', '')
  const own = await openData({ home: join(userHome, 'own') })
  try {
    const list = await own.answer('GET /api/sessions', {})
    expect(list.isSample).toBe(true)
    expect(list.sessions.map(({ id }) => id)).toContain(bakery)
    expect(list.sessions.every(({ live }) => !live)).toBe(true)
    expect((await own.answer('GET /api/about', {})).isSample).toBe(true)
    expect((await own.answer('GET /api/sessions/:id', {}, bakery)).resume).toBeUndefined()
    for (const act of [
      () => own.answer('POST /api/archive/run', {}),
      () => own.answer('POST /api/sessions/:id/restore', {}, bakery),
      () => own.answer('POST /api/sessions/:id/fork', {}, bakery),
      () => own.answer('POST /api/sessions/:id/repair', {}, bakery),
      () => own.answer('POST /api/sessions/:id/forget', {}, bakery),
    ]) {
      expect((await problemIn(act)).status).toBe(403)
    }
  } finally {
    await own.close()
    vi.unstubAllEnvs()
    rmSync(userHome, { recursive: true, force: true })
  }
})

it('opens a session by the unique beginning of its id, as commands do', async () => {
  expect((await data.answer('GET /api/sessions/:id', {}, '57bae280')).id).toBe(bakery)
  expect((await data.answer('GET /api/sessions/:id/first', {}, '57BAE')).head.id).toBe(bakery)
  expect((await problemIn(() => data.answer('GET /api/sessions/:id', {}, 'ffffffff'))).status).toBe(404)
})

it('lists and shows sessions next to an index of a newer Clew, and says why it cannot search', async () => {
  const newer = mkdtempSync(join(tmpdir(), 'clew-newer-'))
  const first = await openData({ home: newer, roots: [samples] })
  await first.answer('GET /api/search', { q: 'anything' })
  await first.close()
  const db = openForWriting(currentPath(newer) ?? '')
  db.exec('PRAGMA user_version = 99999999')
  db.close()
  const own = await openData({ home: newer, roots: [samples] })
  try {
    expect((await own.answer('GET /api/sessions', {})).sessions.map(({ id }) => id)).toContain(bakery)
    expect((await own.answer('GET /api/sessions/:id', {}, bakery)).title).not.toBe('')
    const problem = await problemIn(() => own.answer('GET /api/search', { q: 'anything' }))
    expect(problem.status).toBe(409)
    expect(problem.message).toContain('newer Clew')
  } finally {
    await own.close()
    rmSync(newer, { recursive: true, force: true })
  }
}, 30_000)

async function problemIn(act: () => Promise<unknown>): Promise<ProblemError> {
  const error = await act().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  const problem = problemOf(error)
  if (problem === null) throw error
  return problem
}

describe('lists', () => {
  it('says what the server is', async () => {
    expect(await data.answer('GET /api/about', {})).toEqual({
      version: '1.2.3',
      isSample: false,
      isReadOnly: false,
      timezone: 'UTC',
      theme: 'system',
      problems: [],
    })
  })

  it('lists all sessions, the last used first, with the projects that they belong to', async () => {
    const list = await data.answer('GET /api/sessions', {})
    expect(list.total).toBe(list.sessions.length)
    expect(list.total).toBeGreaterThan(15)
    const ends = list.sessions.map(({ endedAt }) => endedAt ?? '')
    expect(ends).toEqual([...ends].sort().reverse())
    expect(list.projects.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(list.total)
    const found = list.sessions.find(({ id }) => id === bakery)
    expect(found).toMatchObject({ onDisk: true, archived: false, project: { slug: '-home-mira-bakery' } })
    expect(found?.costUSD).toBeGreaterThan(0)
  })

  it('gives pages of the same list', async () => {
    const all = await data.answer('GET /api/sessions', {})
    const page = await data.answer('GET /api/sessions', { offset: '3', limit: '4' })
    expect(page.offset).toBe(3)
    expect(page.sessions).toEqual(all.sessions.slice(3, 7))
    expect(page.total).toBe(all.total)
  })

  it('filters by project, words, time and state', async () => {
    const all = (await data.answer('GET /api/sessions', {})).sessions
    const project = all[0]?.projectKey ?? ''
    const own = (await data.answer('GET /api/sessions', { project: `=${project}` })).sessions
    expect(own).toEqual(all.filter(one => one.projectKey === project))
    const withErrors = await data.answer('GET /api/sessions', { is: 'errors' })
    expect(withErrors.sessions).toEqual(all.filter(({ errors }) => errors > 0))
    const both = await data.answer('GET /api/sessions', { is: 'subagents,compactions' })
    expect(both.sessions).toEqual(all.filter(one => one.subagents > 0 && one.compactions > 0))
    const word = all[2]?.title.split(' ')[0] ?? ''
    expect(
      (await data.answer('GET /api/sessions', { text: word.toUpperCase() })).sessions.map(({ id }) => id),
    ).toContain(all[2]?.id)
    const day = (all[0]?.endedAt ?? '').slice(0, 10)
    expect((await data.answer('GET /api/sessions', { since: day })).sessions).toContainEqual(all[0])
    expect((await data.answer('GET /api/sessions', { until: '1999-01-01' })).sessions).toEqual([])
  })

  it('says what is wrong with a question', async () => {
    for (const query of [{ offset: '-1' }, { limit: 'all' }, { is: 'purple' }, { since: 'soon' }]) {
      expect((await problemIn(() => data.answer('GET /api/sessions', query))).status).toBe(400)
    }
  })
})

describe('one session', () => {
  it('says what it is', async () => {
    const head = await data.answer('GET /api/sessions/:id', {}, bakery)
    expect(head).toMatchObject({ id: bakery, onDisk: true, isArchived: false })
    expect(head.threads[0]?.kind).toBe('main')
    expect(head.usage.costUSD).toBeGreaterThan(0)
    const listed = (await data.answer('GET /api/sessions', {})).sessions.find(({ id }) => id === bakery)
    expect(head.title).toBe(listed?.title)
    expect(head.usage.costUSD).toBe(listed?.costUSD)
  })

  it('names the sessions that it continues from, or that continue from it', async () => {
    const { sessions } = await data.answer('GET /api/sessions', {})
    const ids = new Set(sessions.map(({ id }) => id))
    const links = []
    for (const { id } of sessions) links.push(...(await data.answer('GET /api/sessions/:id', {}, id)).lineage)
    expect(links.length).toBeGreaterThan(0)
    expect(links.some(({ session }) => ids.has(session))).toBe(true)
  })

  it('gives items slot by slot, the same in pages of any size', async () => {
    const outline = await data.answer('GET /api/sessions/:id/outline', {}, bakery)
    const all = await data.answer('GET /api/sessions/:id/items', { from: '0', to: String(outline.ids.length) }, bakery)
    expect(all.slots).toHaveLength(outline.ids.length)
    expect(all.slots.flat().length).toBeGreaterThan(5)
    const pages = []
    for (let from = 0; from < outline.ids.length; from += 7) {
      const to = Math.min(outline.ids.length, from + 7)
      pages.push(
        ...(await data.answer('GET /api/sessions/:id/items', { from: String(from), to: String(to) }, bakery)).slots,
      )
    }
    expect(pages).toEqual(all.slots)
  })

  it('begins with a head and the first slots', async () => {
    const { head, items } = await data.answer('GET /api/sessions/:id/first', {}, bakery)
    expect(head.title).toBe((await data.answer('GET /api/sessions/:id', {}, bakery)).title)
    const whole = await data.answer(
      'GET /api/sessions/:id/items',
      { from: '0', to: String(items.slots.length) },
      bakery,
    )
    expect(items.slots).toEqual(whole.slots)
  })

  it('begins, just after it was started, with a head that stays as it is: cost, and links to other sessions', async () => {
    const { sessions } = await data.answer('GET /api/sessions', {})
    const fresh = await openData({ home, roots: [samples], timezone: 'UTC', version: '1.2.3' })
    try {
      const heads = []
      for (const { id } of sessions) heads.push((await fresh.answer('GET /api/sessions/:id/first', {}, id)).head)
      const later = []
      for (const { id } of sessions) later.push(await fresh.answer('GET /api/sessions/:id', {}, id))
      expect(heads.filter(({ lineage }) => lineage.length > 0).length).toBeGreaterThan(2)
      expect(heads).toEqual(later)
    } finally {
      await fresh.close()
    }
  })

  it('finds the place of every event, and its record as it was written', async () => {
    const outline = await data.answer('GET /api/sessions/:id/outline', {}, bakery)
    for (const [slot, event] of outline.ids.slice(0, 20).entries()) {
      expect(await data.answer('GET /api/sessions/:id/place', { event }, bakery)).toMatchObject({
        thread: outline.thread,
        slot,
        shownIn: event,
        inside: [],
      })
      const raw = await data.answer('GET /api/sessions/:id/raw', { event }, bakery)
      expect(raw.event).toBe(event)
      expect(raw.file).toBe(`${bakery}.jsonl`)
      expect(JSON.parse(raw.text)).toBeTypeOf('object')
      expect(raw.isCut).toBe(false)
    }
  })

  it('opens the threads of subagents', async () => {
    const { sessions } = await data.answer('GET /api/sessions', { is: 'subagents' })
    const id = sessions[0]?.id ?? ''
    const head = await data.answer('GET /api/sessions/:id', {}, id)
    const thread = head.threads.find(({ kind }) => kind === 'subagent')?.id ?? ''
    const outline = await data.answer('GET /api/sessions/:id/outline', { thread }, id)
    expect(outline.thread).toBe(thread)
    expect(outline.ids.length).toBeGreaterThan(0)
    const { slots } = await data.answer(
      'GET /api/sessions/:id/items',
      { thread, from: '0', to: String(outline.ids.length) },
      id,
    )
    expect(slots.flat().length).toBeGreaterThan(0)
  })

  it('gives images that items show as bytes, by the item that shows them', async () => {
    const { sessions } = await data.answer('GET /api/sessions', { is: 'images' })
    expect(sessions.length).toBeGreaterThan(0)
    let seen = 0
    for (const { id } of sessions) {
      const { ids } = await data.answer('GET /api/sessions/:id/outline', {}, id)
      const { slots } = await data.answer('GET /api/sessions/:id/items', { from: '0', to: String(ids.length) }, id)
      for (const item of slots.flat()) {
        const media = item.body.filter(part => part.type === 'media')
        for (const [n, part] of media.entries()) {
          const { mediaType, bytes } = await data.media({ event: item.id, n: String(n) }, id)
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
      () => data.answer('GET /api/sessions/:id', {}, 'nothing'),
      () => data.answer('GET /api/sessions/:id', {}, '../../etc/passwd'),
      () => data.answer('GET /api/sessions/:id/outline', { thread: 'nobody' }, bakery),
      () => data.answer('GET /api/sessions/:id/place', { event: 'none' }, bakery),
      () => data.answer('GET /api/sessions/:id/raw', { event: '../x' }, bakery),
      () => data.answer('GET /api/sessions/:id/raw', {}, bakery),
      () => data.media({ event: 'none', n: '0' }, bakery),
    ]
    for (const act of acts) {
      const problem = await problemIn(act)
      expect(problem.status).toBe(404)
      expect(`${problem.message} ${problem.hint ?? ''}`).not.toContain('/')
    }
    expect(
      (await problemIn(() => data.answer('GET /api/sessions/:id/items', { from: '9', to: '3' }, bakery))).status,
    ).toBe(400)
    expect(
      (await problemIn(() => data.answer('GET /api/sessions/:id/items', { from: '0', to: '100000' }, bakery))).status,
    ).toBe(400)
  })
})

describe('a session that is read by slots', () => {
  let large: ServerData
  beforeAll(async () => {
    large = await openData({ home, roots: [samples], largeBytes: 0 })
    await large.answer('GET /api/search', { q: 'anything' })
  })
  afterAll(() => large.close())

  it('answers as one that is held whole', async () => {
    for (const { id } of (await data.answer('GET /api/sessions', {})).sessions) {
      const [head, whole] = [
        await large.answer('GET /api/sessions/:id', {}, id),
        await data.answer('GET /api/sessions/:id', {}, id),
      ]
      expect(head).toEqual(whole)
      for (const { id: thread } of whole.threads) {
        const outline = await data.answer('GET /api/sessions/:id/outline', { thread }, id)
        expect(await large.answer('GET /api/sessions/:id/outline', { thread }, id), id).toEqual(outline)
        const query = { thread, from: '0', to: String(Math.min(512, outline.ids.length)) }
        expect(await large.answer('GET /api/sessions/:id/items', query, id), id).toEqual(
          await data.answer('GET /api/sessions/:id/items', query, id),
        )
      }
      const event = (await data.answer('GET /api/sessions/:id/outline', {}, id)).ids.at(-1) ?? ''
      expect(await large.answer('GET /api/sessions/:id/raw', { event }, id)).toEqual(
        await data.answer('GET /api/sessions/:id/raw', { event }, id),
      )
      expect(await large.answer('GET /api/sessions/:id/context', {}, id)).toEqual(
        await data.answer('GET /api/sessions/:id/context', {}, id),
      )
    }
  })
})

describe('everything', () => {
  it('is searched by words, hits of one session together', async () => {
    const result = await data.answer('GET /api/search', { q: 'the' })
    expect(result.total).toBeGreaterThan(3)
    const order = result.hits.map(({ session }) => session)
    expect(order).toEqual([...new Set(order)].flatMap(id => order.filter(one => one === id)))
    for (const hit of result.hits.slice(0, 10))
      expect(await data.answer('GET /api/sessions/:id/place', { event: hit.event }, hit.session)).toBeTruthy()
  })

  it('is summed up in every way to the same totals', async () => {
    const totals = []
    for (const by of ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'tool', 'subagent', 'blocks']) {
      const answer = await data.answer('GET /api/usage', { by })
      expect(answer.rows.length, by).toBeGreaterThan(0)
      totals.push(answer.totals.totalTokens)
    }
    expect(new Set(totals).size).toBe(1)
    expect((await problemIn(() => data.answer('GET /api/usage', { by: 'moon' }))).status).toBe(400)
  })
})
