// Which files a session touched is the same whoever is asked: calls of every kind of tool, that worked and that did not, with paths
// in every spelling.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { diskSource } from '../../src/disk/read/read.ts'
import { Sketch, type Wire } from '../../src/graph/testing.ts'
import type { Stats } from '../../src/schema/contract-shapes.ts'
import { loadSession } from '../../src/session/load.ts'
import { graphReader } from '../../src/session/reading/graph-reader.ts'
import { writeHome } from '../specs/home.ts'
import { Home, pathsIn } from './sources.ts'

const id = '77777777-0000-4000-8000-000000000000'
const uuid = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`
type Outcome = 'done' | 'failed' | 'none'
type Call = [tool: string, input: Wire, outcome: Outcome]

const calls: Call[] = [
  ['Read', { file_path: '/home/ida/shop/cart.ts' }, 'done'],
  ['Edit', { file_path: 'cart.ts', old_string: 'a', new_string: 'b' }, 'done'],
  ['MultiEdit', { file_path: './lib/../till.ts', edits: [{ old_string: 'a', new_string: 'b' }] }, 'done'],
  ['Write', { file_path: '/home/ida/shop//new.ts', content: 'one\n' }, 'done'],
  ['Replace', { file_path: '/home/ida/shop/old.ts', content: 'two\n' }, 'done'],
  ['View', { file_path: '/home/ida/shop/seen.ts' }, 'done'],
  ['NotebookEdit', { notebook_path: '/home/ida/shop/sums.ipynb', new_source: '1' }, 'done'],
  ['NotebookEditCell', { notebook_path: '/home/ida/shop/cells.ipynb', new_source: '1' }, 'done'],
  ['NotebookRead', { notebook_path: '/home/ida/shop/read.ipynb' }, 'done'],
  ['Read', { file_path: `/home/ida/${'deep/'.repeat(300)}file.ts` }, 'done'],
  ['Edit', { file_path: '/home/ida/shop/refused.ts', old_string: 'a', new_string: 'b' }, 'failed'],
  ['Edit', { file_path: '/home/ida/shop/seen.ts', old_string: 'a', new_string: 'b' }, 'failed'],
  ['Write', { file_path: '/home/ida/shop/unfinished.ts', content: '' }, 'none'],
  ['Grep', { pattern: 'a', path: '/home/ida/shop/searched' }, 'done'],
  ['LSP', { operation: 'hover', filePath: '/home/ida/shop/hovered.ts' }, 'done'],
  ['mcp__shop__stock', { path: '/home/ida/shop/stock.json' }, 'done'],
  ['Bash', { command: 'rm /home/ida/shop/removed.ts' }, 'done'],
]

const windowsCalls: Call[] = [
  ['Read', { file_path: 'C:\\Users\\ida\\shop\\a.ts' }, 'done'],
  ['Edit', { file_path: 'c:/Users/ida/shop/a.ts', old_string: 'a', new_string: 'b' }, 'done'],
  ['Write', { file_path: 'lib\\b.ts', content: '' }, 'done'],
  ['Read', { file_path: '/c/Users/ida/shop/c.ts' }, 'done'],
]

const ofShop = ['cart.ts', 'till.ts', 'new.ts', 'old.ts', 'seen.ts', 'sums.ipynb', 'cells.ipynb', 'read.ipynb']
const ofWindows = ['a.ts', 'lib\\b.ts', 'c.ts']

function session(cwd: string, made: readonly Call[]): Sketch {
  const at = (minute: number): Wire => ({ cwd, timestamp: new Date(Date.UTC(2026, 3, 2, 8, minute)).toISOString() })
  const sketch = new Sketch(id).user(uuid(0), null, 'Tidy the shop', at(0))
  let last = uuid(0)
  for (const [n, [tool, input, outcome]] of made.entries()) {
    const [request, result, call] = [uuid(2 * n + 1), uuid(2 * n + 2), `toolu_${n}`]
    sketch.call(request, last, call, tool, input, { message: `msg_01ShopShopShopShop${n}`, ...at(2 * n + 1) })
    last = request
    if (outcome === 'none') continue
    sketch.result(result, request, call, 'so it is', { is_error: outcome === 'failed', ...at(2 * n + 2) })
    last = result
  }
  return sketch
}

describe('files that a session touched', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clew-touched-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each([
    [
      'home',
      '/home/ida/shop',
      calls,
      [...ofShop.map(name => `/home/ida/shop/${name}`), `/home/ida/${'deep/'.repeat(300)}file.ts`],
    ],
    ['windows', 'C:\\Users\\ida\\shop', windowsCalls, ofWindows.map(name => `C:\\Users\\ida\\shop\\${name}`)],
  ] as const)('are the same for every asker: %s', { timeout: 120_000 }, async (name, cwd, made, paths) => {
    const root = join(folder, name)
    writeHome(root, { [`projects/shop/${id}.jsonl`]: session(cwd, made).records as readonly JsonObject[] })
    const home = new Home(root, join(folder, `own-${name}`))
    const expected = pathsIn(paths.map(path => ({ path })))

    const { sessions } = await discover(root)
    for (const files of sessions) {
      const reader = graphReader(await loadSession(diskSource(), files))
      expect(pathsIn(await reader.files())).toBe(expected)
    }
    expect(pathsIn((await home.json<Stats>('stats', id, '--no-index')).files)).toBe(expected)
    await home.text('index', 'refresh')
    expect(pathsIn((await home.json<Stats>('stats', id)).files)).toBe(expected)
    await home.served(async data => {
      expect(pathsIn((await data.answer('GET /api/sessions/:id/files', {}, id)).files)).toBe(expected)
    })
    const text = await home.text('show', id)
    for (const path of paths.filter(one => one.length < 100)) {
      expect(text).toContain(path)
      const { total } = await home.json<{ total: number }>('search', `file:"${path}"`, '--all')
      expect(total, path).toBeGreaterThan(0)
    }
  })

  it('are those of a session only where its own calls touched them', { timeout: 120_000 }, async () => {
    const root = join(folder, 'fork')
    const fork = '88888888-0000-4000-8000-000000000000'
    const records = session('/home/ida/shop', calls.slice(0, 2)).records
    const forkedFrom = (record: Wire) => ({ forkedFrom: { sessionId: id, messageUuid: record['uuid'] } })
    const copied = records.map(record => ({ ...record, sessionId: fork, ...forkedFrom(record) }))
    const place = { cwd: '/home/ida/shop', timestamp: '2026-04-02T12:00:00.000Z' }
    const own = new Sketch(fork)
      .call(
        uuid(91),
        uuid(4),
        'toolu_91',
        'Read',
        { file_path: 'own.ts' },
        { message: 'msg_01ShopShopShopShop91', ...place },
      )
      .result(uuid(92), uuid(91), 'toolu_91', 'so it is', place)
    writeHome(root, {
      [`projects/shop/${id}.jsonl`]: records as readonly JsonObject[],
      [`projects/shop/${fork}.jsonl`]: [...copied, ...own.records] as readonly JsonObject[],
    })
    const home = new Home(root, join(folder, 'own-fork'))
    expect(pathsIn((await home.json<Stats>('stats', fork)).files)).toBe('/home/ida/shop/own.ts')
    await home.served(async data => {
      const { files } = await data.answer('GET /api/sessions/:id/files', {}, fork)
      expect(pathsIn(files)).toBe('/home/ida/shop/own.ts')
    })
  })
})
