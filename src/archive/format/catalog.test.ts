import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { Catalog, currentOf, frameLine, type Generation, generationLine } from './catalog.ts'

const base: Generation = {
  id: 'g',
  number: 1,
  home: '/h',
  path: 'a.jsonl',
  size: 0,
  modifiedMs: 1_750_000_000_123,
  mode: 0o640,
  archivedMs: 1_750_000_001_000,
  closed: 0,
  frames: [],
}

const frame = (id: string, bytes: number) => frameLine(id, { pack: 'p.gz', at: 0, stored: 1, bytes })

function catalogOf(...lines: JsonObject[]): Catalog {
  const catalog = new Catalog()
  // As they come out of a file.
  for (const line of lines) catalog.see(JSON.parse(JSON.stringify(line)))
  return catalog
}

const grown = (size: number, from: number, frames: string[]) => generationLine({ ...base, size }, from, frames)

describe('the catalog', () => {
  it('gives back what a line says, all of it', () => {
    const facts = { isHistory: false, plans: ['fog'], session: 's', firstMs: 3, cwd: '/p' }
    const whole = { ...base, size: 5, closed: 3, frames: ['f'], identity: '1-2-3', origin: '/old.tar', facts }
    const catalog = catalogOf(frame('f', 5), generationLine(whole, 0, ['f']))
    expect(catalog.generations.get('g')).toEqual(whole)
    expect(catalog.current('/h', 'a.jsonl')).toEqual(whole)
    expect(catalog.of('/h', 'b.jsonl')).toEqual([])
    expect([...catalog.homes()]).toEqual(['/h'])
  })

  it('joins the lines of a generation where each continues the one before', () => {
    const catalog = catalogOf(
      ...[frame('a', 10), frame('b', 5), frame('c', 3), frame('bc', 8)],
      ...[grown(10, 0, ['a']), grown(15, 10, ['b']), grown(18, 15, ['c'])],
    )
    expect(catalog.generations.get('g')?.frames).toEqual(['a', 'b', 'c'])
    // Pieces of the open end are joined: the line says from where.
    catalog.see(grown(18, 10, ['bc']))
    expect(catalog.generations.get('g')?.frames).toEqual(['a', 'bc'])
    expect(catalog.broken.size).toBe(0)
    expect(catalog.generations.size).toBe(1)
  })

  it('keeps the intact beginning of a generation of which a line was lost, and never moves what follows to the front', () => {
    const catalog = catalogOf(
      ...[frame('a', 10), frame('b', 5), frame('c', 3)],
      ...[grown(10, 0, ['a']), grown(18, 15, ['c'])],
    )
    expect(catalog.broken.has('g')).toBe(true)
    const { frames } = catalog.generations.get('g') ?? base
    expect(frames[0]).toBe('a')
    expect(frames.at(-1)).toBe('c')
    expect(catalog.frames.has(frames[1] ?? '')).toBe(false)
    expect(catalog.liveFrames()).toContain('c')
  })

  it('takes a generation for whole again once it is said from the start', () => {
    const catalog = catalogOf(frame('a', 10), frame('c', 3), grown(18, 15, ['c']))
    expect(catalog.broken.has('g')).toBe(true)
    catalog.see(grown(10, 0, ['a']))
    expect(catalog.broken.has('g')).toBe(false)
    catalog.see(generationLine(base, 0, [], true))
    expect(catalog.broken.has('g')).toBe(true)
  })

  it('lists generations of a file by their numbers, also after changes and moves', () => {
    const catalog = new Catalog()
    const one = { ...base, id: '1', number: 1 }
    const two = { ...base, id: '2', number: 2 }
    catalog.put(two)
    catalog.put(one)
    catalog.put({ ...one, mode: 0o600 })
    const ids = (path: string) => catalog.of('/h', path).map(generation => generation.id)
    expect(ids('a.jsonl')).toEqual(['1', '2'])
    catalog.put({ ...two, path: 'b.jsonl' })
    expect(ids('a.jsonl')).toEqual(['1'])
    catalog.put({ ...one, path: 'b.jsonl' })
    expect(ids('b.jsonl')).toEqual(['1', '2'])
    expect(ids('a.jsonl')).toEqual([])
    expect([...catalog.files()]).toHaveLength(1)
    catalog.drop('2')
    catalog.drop('1')
    expect([...catalog.files()]).toEqual([])
    expect(catalog.generations.size).toBe(0)
  })

  it('shows what a file itself was last before anything imported, and of imports the newest', () => {
    const own = { ...base, id: 'own', number: 1 }
    const imported = { ...base, id: 'imported', number: 2, origin: '/old', modifiedMs: 9e12 }
    const older = { ...imported, id: 'older', number: 3, modifiedMs: 1 }
    expect(currentOf([own, imported])?.id).toBe('own')
    expect(currentOf([older, imported])?.id).toBe('imported')
    expect(currentOf([])).toBeUndefined()
  })

  it('keeps what is forgotten until it is remembered', () => {
    const catalog = catalogOf({ forgotten: 's' }, { forgotten: 't' }, { remembered: 't' })
    expect([...catalog.forgotten]).toEqual(['s'])
  })

  it('leaves out lines that make no sense', () => {
    const catalog = catalogOf(
      ...[{ frame: 'f' }, { frame: 'f', pack: 1, at: 0, stored: 1, bytes: 1 }, { generation: 'g' }, {}, { frame: 3 }],
      ...[{ generation: 'g', home: '/h', path: 'x' }],
    )
    expect(catalog.frames.size + catalog.generations.size + catalog.forgotten.size).toBe(0)
  })

  it.each([-9e18, -1, 0, 9e15, 1e300])('writes a time of %d milliseconds', modifiedMs => {
    const line = generationLine({ ...base, modifiedMs }, 0, [])
    expect(Number.isNaN(Date.parse(String(line['modified'])))).toBe(false)
  })
})

describe('a frame that format 1 marked for a second compression', () => {
  it('loses the mark when its line is rewritten', () => {
    const place = catalogOf({ ...frame('f', 5), quick: true }).frames.get('f') ?? expect.unreachable()
    expect(frameLine('f', place)).toEqual(frame('f', 5))
  })
})

describe('what a later Clew says', () => {
  it('of frames and generations is said again with them', () => {
    const later = [
      { ...frame('f', 5), codec: 'x' },
      { ...generationLine({ ...base, size: 5 }, 0, ['f']), labels: ['a'], check: 'old' },
    ]
    const catalog = catalogOf(...later)
    const place = catalog.frames.get('f')
    const generation = catalog.generations.get('g')
    expect(place === undefined ? null : frameLine('f', place)).toEqual(later[0])
    expect(generation === undefined ? null : generationLine(generation, 0, ['f'])).toEqual({
      ...later[1],
      check: undefined,
    })
  })

  it('in lines of another kind is handed on', () => {
    const catalog = catalogOf({ clew: 'archive', format: 1 }, { note: 'x', check: 'old' }, { forgotten: 's' })
    expect(catalog.others).toEqual([{ note: 'x' }])
  })

  it('of the facts leaves what is asked for in its place', () => {
    const catalog = catalogOf({ ...generationLine(base, 0, []), facts: { session: 's', mood: 1 } })
    expect(catalog.generations.get('g')?.facts).toEqual({ session: 's', mood: 1, isHistory: false, plans: [] })
  })
})

it('a file with very many generations is taken in, asked for and left out within moments', { tags: 'deep' }, () => {
  const catalog = new Catalog()
  const count = 40_000
  const map = new Map<string, object>()
  const before = performance.now()
  for (let number = 1; number <= count; number++) map.set(String(number), { ...base, id: String(number), number })
  const bare = performance.now() - before
  const start = performance.now()
  for (let number = 1; number <= count; number++) catalog.put({ ...base, id: String(number), number })
  let currents = 0
  for (const { id } of catalog.generations.values()) if (catalog.current('/h', 'a.jsonl')?.id === id) currents++
  for (let number = 1; number < count; number++) catalog.drop(String(number))
  expect(currents).toBe(1)
  expect(catalog.of('/h', 'a.jsonl').map(({ number }) => number)).toEqual([count])
  // Where each of them were compared with all others, it would take ten thousand times as long.
  expect(performance.now() - start).toBeLessThan(Math.max(4000, 400 * bare))
  expect(map.size).toBe(count)
})
