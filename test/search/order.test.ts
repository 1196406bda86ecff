// The order and the completeness of answers: by time and worth, whatever was indexed first, with every hit within reach.

import { cpSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SearchAnswer } from '../../src/index/search/search.ts'
import { type BuiltIndex, buildIndex } from './build-index.ts'

let folder = ''
const indexes: BuiltIndex[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-search-order-'))
})
afterEach(() => {
  for (const index of indexes.splice(0)) index.close()
  rmSync(folder, { recursive: true, force: true })
})

async function built(home = 'home'): Promise<BuiltIndex> {
  const index = await buildIndex([join(folder, home)])
  indexes.push(index)
  return index
}

const id = (n: number) => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`
const dayMs = 86_400_000
const start = Date.UTC(2026, 0, 1)

interface Log {
  project: string
  session: number
  /** Days since the start. */
  day: number
  texts: string[]
  home?: string
}

/** One session of one project; a minute between its prompts, and a title without a time at its end. */
function write({ project, session, day, texts, home = 'home' }: Log): string {
  const lines = texts.map((content, n) => ({
    type: 'user',
    uuid: `${id(session).slice(0, 28)}${String(n).padStart(8, '0')}`,
    parentUuid: null,
    sessionId: id(session),
    timestamp: new Date(start + day * dayMs + n * 60_000).toISOString(),
    cwd: `/srv/${project}`,
    version: '2.1.100',
    message: { role: 'user', content },
  }))
  const title = { type: 'custom-title', customTitle: `plum ${project} ${session}`, sessionId: id(session) }
  const path = join(folder, home, 'projects', `-srv-${project}`, `${id(session)}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${[...lines, title].map(line => JSON.stringify(line)).join('\n')}\n`)
  return path
}

/** Without what is different each time. */
function plain({ tookMs: _, ...answer }: SearchAnswer): Omit<SearchAnswer, 'tookMs'> {
  return JSON.parse(JSON.stringify(answer).replaceAll(folder, ''))
}

const many = (count: number, word: string) => Array.from({ length: count }, (_, n) => `the ${word} of plum ${n}`)
const queries = ['plum', 'plum OR kiwi', 'kiwi', 'pl*', '"the kiwi"', 'kind:prompt', 'plum -kiwi', 'kind:title']
/** So few places in the first window and so few that are sorted that the samples are many. */
const small = { budget: { window: 20, sorted: 30 } }

describe('the order of hits', () => {
  it('is by time: the newest session comes first though its project is indexed first', async () => {
    for (let n = 0; n < 40; n++) write({ project: `zeta${n}`, session: n, day: n, texts: many(5, 'fig') })
    write({ project: 'alpha', session: 99, day: 200, texts: many(5, 'fig') })
    const { find } = await built()
    const answer = find('plum', { ...small, isGrouped: false, limit: 5 })
    expect(new Set(answer.hits.map(({ session }) => session))).toContain(id(99))
    expect(find('fig', { ...small, limit: 1 }).sessions).toEqual([{ session: id(99), hits: 5 }])
  })

  it('stays when an old log is added later', async () => {
    for (let n = 0; n < 10; n++) write({ project: 'shop', session: n, day: 100 + n, texts: many(8, 'fig') })
    const index = await built()
    const before = index.find('plum', { ...small, limit: 2 })
    write({ project: 'zoo', session: 500, day: 1, texts: many(60, 'fig') })
    await index.refresh()
    expect(index.find('plum', { ...small, limit: 2 }).hits.map(({ event }) => event)).toEqual(
      before.hits.map(({ event }) => event),
    )
  })

  it('is the same from an index that was rebuilt and one that grew in any order, with the same scores', async () => {
    const logs: Log[] = Array.from({ length: 12 }, (_, n) => ({
      project: ['alpha', 'mid', 'zeta'][n % 3] ?? '',
      session: n,
      day: (n * 7) % 12,
      texts: [...many(6, n % 2 ? 'kiwi' : 'fig'), 'the same words everywhere'],
    }))
    for (const log of logs.slice(6)) write(log)
    // It is cut below: its texts are taken out again.
    const torn = write({ project: 'alpha', session: 77, day: 3, texts: many(40, 'gone quince') })
    const grown = await built()
    for (const log of logs.slice(0, 6).reverse()) {
      write(log)
      await grown.refresh()
    }
    truncateSync(torn, 400)
    await grown.refresh()
    const rebuilt = await built()
    for (const query of queries) {
      for (const options of [
        {},
        small,
        { ...small, isGrouped: false, limit: 7 },
        { limit: Number.POSITIVE_INFINITY },
      ]) {
        expect(plain(grown.find(query, options)), query).toEqual(plain(rebuilt.find(query, options)))
      }
    }
  })

  it('is the same for copies of one session in two homes, whichever was indexed first', async () => {
    write({ project: 'shop', session: 1, day: 1, texts: ['a plum'] })
    cpSync(join(folder, 'home'), join(folder, 'away'), { recursive: true })
    const files: string[] = []
    for (const homes of [
      ['home', 'away'],
      ['away', 'home'],
    ]) {
      const index = await buildIndex(homes.map(home => join(folder, home)))
      indexes.push(index)
      files.push(index.find('plum kind:prompt').hits[0]?.file ?? '')
    }
    expect(files[0]).toBe(files[1])
  })
})

describe('reading further', () => {
  beforeEach(() => {
    for (let n = 0; n < 30; n++) write({ project: `p${n % 4}`, session: n, day: n, texts: many(4, 'fig') })
  })

  it('reaches every session and every hit, and the first ones stay where they were', async () => {
    const { find } = await built()
    for (const query of ['plum', 'fig', 'fig OR plum', 'kind:prompt']) {
      const all = find(query, { ...small, limit: Number.POSITIVE_INFINITY, isGrouped: false })
      expect(all).toMatchObject({ isTotalLowerBound: false, sessionTotal: 30 })
      expect(all.hits).toHaveLength(all.total)
      const order = all.hits.map(({ event, label }) => `${label} ${event}`)
      for (const limit of [1, 10, 25, 60, 100]) {
        const page = find(query, { ...small, limit, isGrouped: false })
        expect(page.hits.map(({ event, label }) => `${label} ${event}`)).toEqual(order.slice(0, limit))
        expect(page.isTotalLowerBound ? page.total < all.total : page.total === all.total).toBe(true)
      }
    }
  })

  it('shows as many sessions as are asked for, where there are that many', async () => {
    const { find } = await built()
    const order = find('fig', { ...small, limit: Number.POSITIVE_INFINITY }).sessions.map(({ session }) => session)
    for (const limit of [3, 12, 29]) {
      expect(find('fig', { ...small, limit }).sessions.map(({ session }) => session)).toEqual(order.slice(0, limit))
    }
    expect(order).toHaveLength(30)
  })
})
