// Search finds what people look for: every query of the fixed set has its session among the first ten.

import { cpSync, mkdtempSync, readdirSync, rmSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicHome } from '../needs.ts'
import { type BuiltIndex, buildIndex } from './build-index.ts'
import { type Expected, publicQueries, sampleQueries } from './queries.ts'

/** Queries whose session is not among the first ten. */
function missed(index: BuiltIndex, queries: readonly Expected[]): string[] {
  return queries
    .filter(({ query, session }) => !index.find(query).sessions.some(found => found.session.startsWith(session)))
    .map(({ query, what }) => `${what}: ${query}`)
}

it('has sixty queries', () => {
  expect(sampleQueries.length + publicQueries.length).toBe(60)
})

describe('the sample history', () => {
  let index: BuiltIndex
  let folder = ''

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'clew-search-home-'))
    cpSync(resolve('samples/home'), folder, { recursive: true })
    index = await buildIndex([folder], { archives: true })
  })
  afterAll(() => {
    index.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('finds every session in the first ten', () => {
    expect(missed(index, sampleQueries)).toEqual([])
  })

  it('finds every session as well by hits alone', () => {
    const isFirst = ({ query, session }: Expected) =>
      index.find(query, { isGrouped: false }).hits.some(hit => hit.session.startsWith(session))
    expect(sampleQueries.filter(expected => !isFirst(expected))).toEqual([])
  })

  it('finds what a deleted session said', async () => {
    const before = index.find('croissant').hits[0]
    const project = join(folder, 'projects/-home-mira-bakery')
    for (const name of readdirSync(project))
      if (name.startsWith('33c79d8c')) rmSync(join(project, name), { recursive: true })
    await index.refresh()
    const [after] = index.find('croissant').hits
    expect(after).toMatchObject({ session: before?.session, snippet: before?.snippet, isArchived: true })
    expect(index.find('croissant is:archived').total).toBe(index.find('croissant').total)
    expect(index.find('croissant -is:archived').total).toBe(0)
    expect(missed(index, sampleQueries)).toEqual([])
  })

  it('says so where bytes can no longer be read', async () => {
    const bare = await buildIndex([folder])
    const path = bare.find('献立').hits[0]?.file ?? ''
    unlinkSync(path)
    const [hit] = bare.find('献立').hits
    expect(hit).toMatchObject({ isUnreadable: true, snippet: '', highlights: [] })
    bare.close()
  })
})

it('finds every session of the corpus in the first ten', { tags: 'corpus', timeout: 120_000 }, async () => {
  const index = await buildIndex([publicHome])
  expect(missed(index, publicQueries)).toEqual([])
  index.close()
})
