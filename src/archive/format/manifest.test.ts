import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Fixture, quickOps, withFixture } from '../../../test/archive/fixture.ts'
import type { JsonObject } from '../../base/json.ts'
import { frameLine, type Generation, generationLine } from './catalog.ts'
import { type Layout, layoutOf, segmentName } from './layout.ts'
import { lineText, segmentBytes } from './lines.ts'
import { appendSegment, type Manifest, readManifest, writeBase } from './manifest.ts'

/** A generation of ten bytes a number. */
function generation(number: number): Generation {
  const times = { modifiedMs: 1000, archivedMs: 2000 }
  const frames = [`f${number}`]
  return {
    id: `g${number}`,
    number: 1,
    home: '/h',
    path: `${number}.jsonl`,
    size: 10,
    ...times,
    mode: 0o600,
    closed: 0,
    frames,
  }
}

function linesOf(number: number): JsonObject[] {
  return [
    frameLine(`f${number}`, { pack: 'p.gz', at: 0, stored: 5, bytes: 10 }),
    generationLine(generation(number), 0, [`f${number}`]),
  ]
}

function layoutIn(fixture: Fixture): Layout {
  const layout = layoutOf(fixture.archiveFolder)
  mkdirSync(layout.manifest, { recursive: true })
  return layout
}

function write(layout: Layout, manifest: Manifest, ...numbers: number[]): void {
  for (const number of numbers) {
    appendSegment(quickOps, layout, manifest, linesOf(number))
    for (const line of linesOf(number)) manifest.catalog.see(line)
  }
}

const idsOf = (manifest: Manifest) => [...manifest.catalog.generations.keys()]

describe('the manifest', () => {
  it('of nothing has nothing', async () => {
    await withFixture(fixture => {
      const manifest = readManifest(layoutOf(fixture.archiveFolder))
      expect(manifest).toMatchObject({ last: 0, lastHash: '', segments: [], damage: [] })
    })
  })

  it('has what all segments say together', async () => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      write(layout, readManifest(layout), 1, 2)
      write(layout, readManifest(layout), 3)
      const manifest = readManifest(layout)
      expect(idsOf(manifest)).toEqual(['g1', 'g2', 'g3'])
      expect(manifest.damage).toEqual([])
      expect(manifest.last).toBe(3)
    })
  })

  it('says in a base again what only a later Clew knows', async () => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      const [frame = {}, generation = {}] = linesOf(1)
      const lines = [
        { ...frame, hint: 1 },
        { ...generation, labels: ['a'] },
        { pinned: 's1', by: 'me' },
      ]
      appendSegment(quickOps, layout, readManifest(layout), lines)
      writeBase(quickOps, layout, readManifest(layout))
      writeBase(quickOps, layout, readManifest(layout))
      const [, ...said] = readFileSync(join(layout.manifest, segmentName(3)), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(0, -1)
      for (const [index, line] of lines.entries()) expect(JSON.parse(said[index] ?? '')).toMatchObject(line)
      expect(said).toHaveLength(3)
    })
  })

  it('counts a base in the place of all before it', async () => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      const manifest = readManifest(layout)
      write(layout, manifest, 1, 2, 3)
      manifest.catalog.drop('g2')
      manifest.catalog.forgotten.add('s')
      manifest.catalog.broken.add('g3')
      writeBase(quickOps, layout, manifest)
      expect(manifest.stale).toEqual([1, 2, 3].map(segmentName))
      write(layout, manifest, 4)
      const read = readManifest(layout)
      expect(idsOf(read)).toEqual(['g1', 'g3', 'g4'])
      expect([...read.catalog.frames.keys()]).toEqual(['f1', 'f3', 'f4'])
      expect([...read.catalog.forgotten]).toEqual(['s'])
      expect([...read.catalog.broken]).toEqual(['g3'])
      expect(read.stale).toEqual([1, 2, 3].map(segmentName))
      expect(read.damage).toEqual([])
      for (const name of read.stale) rmSync(join(layout.manifest, name))
      expect(idsOf(readManifest(layout))).toEqual(['g1', 'g3', 'g4'])
    })
  })

  it.each([1, 2, 3])('notices that segment %i of four is missing, and keeps the others', async missing => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      write(layout, readManifest(layout), 1, 2, 3, 4)
      rmSync(join(layout.manifest, segmentName(missing)))
      const { damage, catalog } = readManifest(layout)
      expect(damage.map(({ segment }) => segment)).toEqual([segmentName(missing + 1)])
      expect(catalog.generations.size).toBe(3)
    })
  })

  it('notices every gap, also behind a gap and behind damage', async () => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      write(layout, readManifest(layout), 1, 2, 3, 4, 5, 6, 7)
      for (const missing of [2, 4, 6]) rmSync(join(layout.manifest, segmentName(missing)))
      const fifth = join(layout.manifest, segmentName(5))
      writeFileSync(fifth, readFileSync(fifth).fill(0x20, 10, 12))
      expect(readManifest(layout).damage.map(({ segment }) => segment)).toEqual([3, 5, 5, 7].map(segmentName))
    })
  })

  it('notices a segment that another one was put in the place of', async () => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      write(layout, readManifest(layout), 1, 2, 3)
      const head = { clew: 'archive', format: 1, segment: 2, previous: '' }
      writeFileSync(join(layout.manifest, segmentName(2)), segmentBytes([head, ...linesOf(9)]))
      expect(readManifest(layout).damage.length).toBeGreaterThan(0)
    })
  })

  it('notices every flipped bit in every segment and loses only what was hit', async () => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      write(layout, readManifest(layout), 1, 2, 3)
      const path = join(layout.manifest, segmentName(2))
      const bytes = readFileSync(path)
      const wrong: string[] = []
      for (let bit = 0; bit < bytes.length * 8; bit += 5) {
        const damaged = Buffer.from(bytes)
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        writeFileSync(path, damaged)
        const { damage, catalog } = readManifest(layout)
        if (damage.length !== 1 || damage[0]?.segment !== segmentName(2)) wrong.push(`bit ${bit} is reported wrongly`)
        if (!catalog.generations.has('g1') || !catalog.generations.has('g3')) wrong.push(`bit ${bit} costs others`)
      }
      expect(wrong).toEqual([])
    })
  })

  it('continues after a damaged segment without a second complaint', async () => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      write(layout, readManifest(layout), 1, 2)
      const path = join(layout.manifest, segmentName(2))
      writeFileSync(path, readFileSync(path).subarray(0, 60))
      write(layout, readManifest(layout), 3)
      const { damage, catalog } = readManifest(layout)
      expect(damage.map(({ segment }) => segment)).toEqual([segmentName(2)])
      expect([...catalog.generations.keys()]).toEqual(['g1', 'g3'])
    })
  })

  it('of a newer format is refused with a clear message', async () => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      write(layout, readManifest(layout), 1)
      const newer = { clew: 'archive', format: 3, segment: 2, previous: '' }
      writeFileSync(join(layout.manifest, segmentName(2)), segmentBytes([newer]))
      expect(() => readManifest(layout)).toThrow(/newer Clew.*format 3.*00000002\.jsonl.*knows 2/)
      // Also where no more than that line is left of it.
      writeFileSync(join(layout.manifest, segmentName(2)), `${lineText(newer)}\n???`)
      expect(() => readManifest(layout)).toThrow(/newer Clew/)
    })
  })

  it('reads segments in the order of their numbers and nothing else that is there', async () => {
    await withFixture(fixture => {
      const layout = layoutIn(fixture)
      const manifest = readManifest(layout)
      manifest.last = 99_999_998
      write(layout, manifest, 1, 2)
      writeFileSync(join(layout.manifest, 'notes.txt'), 'mine')
      writeFileSync(join(layout.manifest, '00000001.jsonl.tmp-1-00000000'), 'torn')
      expect(readdirSync(layout.manifest)).toContain('100000000.jsonl')
      const read = readManifest(layout)
      expect(read.segments).toEqual(['99999999.jsonl', '100000000.jsonl'])
      expect(read.last).toBe(100_000_000)
    })
  })
})
