import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { manySessions } from '../../../test/server/home.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { QuickList } from './list.ts'
import { openData } from './open-data.ts'
import { scopeOf } from './scope.ts'

test('without an index the same sessions are listed, mostly by the same names', async () => {
  const home = mkdtempSync(join(tmpdir(), 'clew-quick-'))
  const roots = [resolve(process.cwd(), 'samples/home')]
  const data = await openData({ home, roots })
  try {
    // Waits for the index.
    await data.answer('GET /api/search', { q: 'anything' })
    const list = await data.answer('GET /api/sessions', {})
    const places = { tree: diskTree, source: diskTree.source }
    const quick = new QuickList(scopeOf({ home, roots }), () => places)
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
    const quick = new QuickList(scopeOf({ home, roots }), () => places, onRead)
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
