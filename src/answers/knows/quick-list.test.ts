import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { manySessions } from '../../../test/server/home.ts'
import { openData } from '../../server/api/open-data.ts'
import { openClew } from '../open.ts'
import { QuickList } from './quick-list.ts'

test('without an index the same sessions are listed, mostly by the same names', async () => {
  const home = mkdtempSync(join(tmpdir(), 'clew-quick-'))
  const roots = [resolve(process.cwd(), 'samples/home')]
  const data = await openData({ home, roots })
  try {
    // Waits for the index.
    await data.answer('GET /api/search', { q: 'anything' })
    const list = await data.answer('GET /api/sessions', {})
    const quick = new QuickList(await openClew({ home, roots }))
    const entries = await quick.rows()
    expect(entries.map(({ session }) => session.id as string).sort()).toEqual(list.sessions.map(({ id }) => id).sort())
    const titles = new Map(list.sessions.map(({ id, title }) => [id, title]))
    const same = entries.filter(({ session, title }) => titles.get(session.id) === title)
    expect(same.length).toBeGreaterThan(entries.length * 0.8)
    const [first] = entries
    expect(await quick.files(first?.session.id ?? '')).toEqual(first?.session)
    expect(await quick.files('nobody')).toBeNull()
    // By this a copied session is known from one that is being written.
    const ended = (id: string) => quick.rowOf(id)?.endedAt
    const apart = list.sessions.map(({ id, endedAt }) => Date.parse(endedAt ?? '') - Date.parse(ended(id) ?? ''))
    expect(apart.every(ms => Math.abs(ms) < 3_600_000)).toBe(true)
    expect(quick.rowOf('nobody')).toBeUndefined()
  } finally {
    await data.close()
    rmSync(home, { recursive: true, force: true })
  }
})

test('without an index every session gets its title and project, the last used at once', async () => {
  const { home, roots, remove } = manySessions(450)
  try {
    const names = Array.from({ length: 450 }, (_, at) => `Prompt number ${at}`)
    const onRead = vi.fn()
    const quick = new QuickList(await openClew({ home, roots }), onRead)
    const first = await quick.rows()
    expect(first).toHaveLength(450)
    expect(first.slice(0, 200).map(({ title }) => title)).toEqual(names.slice(0, 200))
    await vi.waitFor(() => expect(quick.read).toBe(450))
    const all = await quick.rows()
    expect(all.map(({ title }) => title)).toEqual(names)
    expect(all.every(({ cwd }) => cwd === '/home/mira/shop')).toBe(true)
    expect(onRead).toHaveBeenCalled()
  } finally {
    remove()
  }
})
