import { symlink, utimes } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lines, TestHome } from '../../../test/home.ts'
import type { SessionFiles } from '../../model/source.ts'
import { diskSource } from '../read/read.ts'
import { discover } from './discover.ts'
import { mergeDiscoveries, resolveSession } from './resolve.ts'

let folder: TestHome
beforeEach(async () => {
  folder = new TestHome()
})
afterEach(() => folder.remove())

async function sessions(...roots: string[]) {
  const discoveries = await Promise.all(roots.map(root => discover(folder.at(root))))
  return mergeDiscoveries(discoveries, diskSource())
}
const writeSession = (way: string, id: string, ...more: object[]) =>
  folder.write(way, lines({ sessionId: id, n: 1 }, ...more))
const ids = (found: readonly SessionFiles[]) => found.map(session => session.id)

describe('resolveSession', () => {
  beforeEach(async () => {
    await writeSession('h/projects/p/aaa1.jsonl', 'aaa1')
    await writeSession('h/projects/p/aaa2.jsonl', 'aaa2')
    await writeSession('h/projects/p/AbC.jsonl', 'AbC')
    await writeSession('h/projects/q/2025-01-02.jsonl', 'session_9')
    for (const [name, second] of [
      ['p/aaa1', 30],
      ['p/aaa2', 10],
      ['p/AbC', 20],
      ['q/2025-01-02', 5],
    ] as const) {
      await utimes(folder.at(`h/projects/${name}.jsonl`), second, second)
    }
  })

  it('finds a session by its id, a prefix that only it has, and its file name', async () => {
    const all = await sessions('h')
    for (const [text, id] of [
      ['aaa1', 'aaa1'],
      ['ab', 'AbC'],
      ['ABC', 'AbC'],
      ['session_', 'session_9'],
      ['2025-01', 'session_9'],
      [' aaa2 ', 'aaa2'],
    ]) {
      expect(resolveSession(all, text ?? '')).toMatchObject({ found: { id } })
    }
  })

  it('lists the candidates where a prefix fits several, and takes a full id that is also a prefix', async () => {
    await writeSession('h/projects/p/aaa.jsonl', 'aaa')
    const all = await sessions('h')
    expect(resolveSession(all, 'aaa')).toMatchObject({ found: { id: 'aaa' } })
    const several = resolveSession(all, 'aa')
    expect('candidates' in several && ids(several.candidates)).toEqual(['aaa', 'aaa1', 'aaa2'])
  })

  it('takes the given session for `last`', async () => {
    const all = await sessions('h')
    expect(resolveSession(all, 'last', { latest: all[1] })).toEqual({ found: all[1] })
    expect(resolveSession(all, 'last')).toEqual({ none: true })
  })

  it('says so where nothing fits', async () => {
    const all = await sessions('h')
    for (const text of ['zzz', '', '  ', 'aaa11']) expect(resolveSession(all, text)).toEqual({ none: true })
  })

  it('looks at titles, where somebody knows them, after ids', async () => {
    const all = await sessions('h')
    const titleOf = (session: SessionFiles) => ({ aaa1: 'Fix the aaa2 bug', AbC: 'Fix' })[session.id as string]
    expect(resolveSession(all, 'Fix', { titleOf })).toMatchObject({ found: { id: 'AbC' } })
    expect(resolveSession(all, 'the aaa2 BUG', { titleOf })).toMatchObject({ found: { id: 'aaa1' } })
    expect(resolveSession(all, 'aaa2', { titleOf })).toMatchObject({ found: { id: 'aaa2' } })
  })
})

describe('mergeDiscoveries', () => {
  it('makes one session of a copy that is behind, and keeps the longer file', async () => {
    await writeSession('a/projects/p/s.jsonl', 's')
    await writeSession('b/projects/p-other/s.jsonl', 's', { sessionId: 's', n: 2 })
    const [only, ...more] = await sessions('a', 'b')
    expect(more).toEqual([])
    expect(only?.logs.map(log => log.path)).toEqual([folder.at('b/projects/p-other/s.jsonl')])
    expect(only?.twins.map(log => log.path)).toEqual([folder.at('a/projects/p/s.jsonl')])
    expect(only?.slug).toBe('p-other')
  })

  it('keeps both files where each continued by itself', async () => {
    await writeSession('a/projects/p/s.jsonl', 's', { sessionId: 's', here: 'short' })
    await writeSession('b/projects/p/s.jsonl', 's', { sessionId: 's', there: 'a good deal longer' })
    const [only] = await sessions('a', 'b')
    expect(only?.logs).toHaveLength(2)
    expect(only?.twins).toEqual([])
  })

  it('reads the files of a session that moved to another folder in the order of their times', async () => {
    const [before, after] = ['2026-03-01T08:00:00.000Z', '2026-03-01T09:00:00.000Z']
    await writeSession('a/projects/p/s.jsonl', 's', { sessionId: 's', timestamp: before })
    await writeSession('a/projects/q/s.jsonl', 's', { sessionId: 's', timestamp: after, text: 'a good deal longer' })
    const [only, ...more] = await sessions('a')
    expect(more).toEqual([])
    expect(only?.logs.map(log => log.path)).toEqual(['p', 'q'].map(name => folder.at(`a/projects/${name}/s.jsonl`)))
    expect(only?.slug).toBe('p')
  })

  it('does not count a file twice that two roots lead to', async () => {
    await writeSession('a/projects/p/s.jsonl', 's')
    folder.write('a/projects/p/s/subagents/agent-1.jsonl', lines({ sessionId: 's' }))
    folder.write('a/projects/p/s/tool-results/r.txt', 'out')
    await symlink(folder.at('a'), folder.at('link'))
    const [only] = await sessions('a', 'a/projects', 'link')
    expect(only?.logs).toHaveLength(2)
    expect(only?.twins).toEqual([])
    expect(only?.side).toHaveLength(1)
  })

  it('keeps files of equal names in the folders of different workflow runs', async () => {
    for (const root of ['a', 'b']) {
      await writeSession(`${root}/projects/p/s.jsonl`, 's')
      for (const run of ['r1', 'r2']) folder.write(`${root}/projects/p/s/subagents/workflows/${run}/journal.jsonl`, '')
    }
    const [only] = await sessions('a', 'b')
    expect(only?.logs.map(log => log.role)).toEqual(['session', 'journal', 'journal'])
    expect(only?.twins).toHaveLength(3)
  })

  it('leaves different sessions apart, in the order in which they were found', async () => {
    await writeSession('a/projects/p/s2.jsonl', 's2')
    await writeSession('b/projects/p/s1.jsonl', 's1')
    expect(ids(await sessions('a', 'b'))).toEqual(['s2', 's1'])
  })
})
