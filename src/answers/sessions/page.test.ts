import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { manySessions } from '../../../test/server/home.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import type { ServerData } from '../../server/api/data.ts'
import { openData } from '../../server/api/open-data.ts'
import { openClew } from '../open.ts'
import type { QueryWords } from '../shapes.ts'
import { QuickList } from './page.ts'

test('without an index the same sessions are listed, mostly by the same names', async () => {
  const home = mkdtempSync(join(tmpdir(), 'clew-quick-'))
  const roots = [resolve(process.cwd(), 'samples/home')]
  const data = await openData({ home, roots })
  try {
    // Waits for the index.
    await data.answer('GET /api/search', { q: 'anything' })
    const list = await data.answer('GET /api/sessions', {})
    const places = { tree: diskTree, source: diskTree.source }
    const quick = new QuickList(await openClew({ home, roots }), () => places)
    const entries = await quick.entries()
    expect(entries.map(({ session }) => session.id as string).sort()).toEqual(list.sessions.map(({ id }) => id).sort())
    const titles = new Map(list.sessions.map(({ id, title }) => [id, title]))
    const same = entries.filter(({ session, facts }) => titles.get(session.id) === facts.title)
    expect(same.length).toBeGreaterThan(entries.length * 0.8)
    const projects = new Set(list.sessions.map(({ project }) => project))
    expect(entries.every(({ project }) => projects.has(project))).toBe(true)
    const [first] = entries
    expect(await quick.files(first?.session.id ?? '')).toEqual(first?.session)
    expect(await quick.files('nobody')).toBeNull()
    // By this a copied session is known from one that is being written.
    const ended = (id: string) => quick.entryOf(id)?.facts.endedAt
    const apart = list.sessions.map(({ id, endedAt }) => Date.parse(endedAt ?? '') - Date.parse(ended(id) ?? ''))
    expect(apart.every(ms => Math.abs(ms) < 3_600_000)).toBe(true)
    expect(quick.entryOf('nobody')).toBeUndefined()
  } finally {
    await data.close()
    rmSync(home, { recursive: true, force: true })
  }
})

test('without an index every session gets its title and project, the last used at once', async () => {
  const { home, roots, remove } = manySessions(450)
  try {
    const places = { tree: diskTree, source: diskTree.source }
    const names = Array.from({ length: 450 }, (_, at) => `Prompt number ${at}`)
    const onRead = vi.fn()
    const quick = new QuickList(await openClew({ home, roots }), () => places, onRead)
    const first = await quick.entries()
    expect(first).toHaveLength(450)
    expect(first.slice(0, 200).map(({ facts }) => facts.title)).toEqual(names.slice(0, 200))
    await vi.waitFor(() => expect(quick.read).toBe(450))
    const all = await quick.entries()
    expect(all.map(({ facts }) => facts.title)).toEqual(names)
    expect(all.every(({ project }) => project === '/home/mira/shop')).toBe(true)
    expect(onRead).toHaveBeenCalled()
  } finally {
    remove()
  }
})

describe('the list of the sample history', () => {
  const home = mkdtempSync(join(tmpdir(), 'clew-list-'))
  let data: ServerData
  beforeAll(async () => {
    data = await openData({ home, roots: [resolve(process.cwd(), 'samples/home')], timezone: 'UTC' })
    // Waits for the index.
    await data.answer('GET /api/search', { q: 'anything' })
  }, 30_000)
  afterAll(async () => {
    await data.close()
    rmSync(home, { recursive: true, force: true })
  })
  const list = async (query: QueryWords) => (await data.answer('GET /api/sessions', query)).sessions

  test('has marks at the places of the transcript, as many as it counts', async () => {
    const session = (await list({})).find(({ id }) => id === '33c79d8c-6d99-4d32-b36b-48f475c1e43f')
    const { marks } = session ?? {}
    if (session === undefined || marks === undefined) throw new Error('there are no marks')
    expect(marks.subagents).toHaveLength(session.subagents)
    expect(marks.compactions).toHaveLength(session.compactions)
    expect(marks.prompts.length).toBeLessThanOrEqual(session.prompts)
    expect(marks.failures.length).toBeGreaterThan(0)
    const all = [...marks.prompts, ...marks.failures, ...marks.compactions, ...marks.subagents.flat()]
    expect(all.every(place => place >= 0 && place <= 1000)).toBe(true)
    // Prompts are not evenly spaced: where they are is known, not guessed.
    const steps = marks.prompts.slice(1).map((place, at) => place - (marks.prompts[at] ?? 0))
    expect(new Set(steps).size).toBeGreaterThan(1)
  })

  test('is sorted by any of its columns, the largest first', async () => {
    for (const sort of ['tokens', 'calls', 'errors', 'prompts'] as const) {
      const values = (await list({ sort })).map(one => one[sort])
      expect(values, sort).toEqual([...values].sort((one, other) => other - one))
    }
    const titles = (await list({ sort: 'title' })).map(({ title }) => title.toLowerCase())
    expect(titles).toEqual([...titles].sort(new Intl.Collator('en', { numeric: true }).compare))
    await expect(list({ sort: 'colour' })).rejects.toThrow('Cannot sort by "colour"')
  })

  test('puts the sessions of a project together', async () => {
    const projects = (await list({ group: 'project' })).map(({ project }) => project)
    const changes = projects.filter((project, at) => project !== projects[at - 1])
    expect(changes).toHaveLength(new Set(projects).size)
    await expect(list({ group: 'colour' })).rejects.toThrow('Unknown group')
  })

  test('puts forks below the last used of their family', async () => {
    const sessions = await list({})
    const forks = sessions.filter(({ follows }) => follows !== undefined)
    expect(forks.length).toBeGreaterThan(0)
    for (const fork of forks) {
      const head = sessions.findIndex(({ id }) => id === fork.follows)
      const between = sessions.slice(head + 1, sessions.indexOf(fork))
      expect(between.every(({ follows }) => follows === fork.follows)).toBe(true)
      expect(fork.family).toBe(sessions[head]?.family)
    }
    expect((await list({ sort: 'tokens' })).every(({ follows }) => follows === undefined)).toBe(true)
  })
})
