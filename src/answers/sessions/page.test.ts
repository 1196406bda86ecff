import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { totalTokens } from '../../model/usage.ts'
import type { ServerData } from '../../server/api/data.ts'
import { openData } from '../../server/api/open-data.ts'
import type { PicturedRow, QueryWords } from '../shapes.ts'

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
    const columns: Record<string, (row: PicturedRow) => number> = {
      tokens: row => totalTokens(row.usage),
      calls: row => row.toolCalls,
      errors: row => row.errors,
      prompts: row => row.prompts,
      started: row => Date.parse(row.startedAt ?? ''),
    }
    for (const [sort, figureOf] of Object.entries(columns)) {
      const values = (await list({ sort })).map(figureOf)
      expect(values, sort).toEqual([...values].sort((one, other) => other - one))
    }
    const titles = (await list({ sort: 'title' })).map(({ title }) => title.toLowerCase())
    expect(titles).toEqual([...titles].sort())
    await expect(list({ sort: 'colour' })).rejects.toThrow('Invalid --sort "colour". One of: when, started')
  })

  test('puts the sessions of a project together', async () => {
    const projects = (await list({ group: 'project' })).map(row => row.projectKey)
    const changes = projects.filter((project, at) => project !== projects[at - 1])
    expect(changes).toHaveLength(new Set(projects).size)
    await expect(list({ group: 'colour' })).rejects.toThrow('Invalid --group "colour"')
  })

  test('puts forks below the session that they come from', async () => {
    const sessions = await list({ group: 'family' })
    const forks = sessions.filter(({ follows }) => follows !== undefined)
    expect(forks.length).toBeGreaterThan(0)
    for (const fork of forks) {
      const head = sessions.findIndex(({ id }) => id === fork.follows)
      const between = sessions.slice(head + 1, sessions.indexOf(fork))
      expect(between.every(({ follows }) => follows === fork.follows)).toBe(true)
      expect(fork.family).toBe(sessions[head]?.family)
      expect(sessions[head]?.copiedEvents).toBeUndefined()
    }
    expect((await list({ sort: 'tokens', group: 'family' })).every(({ follows }) => follows === undefined)).toBe(true)
  })
})
