import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  logBytes,
  quickOps,
  recordLine,
  sessionA,
  sessionB,
  type World,
  withWorld,
} from '../../../test/archive/world.ts'
import { keep } from '../capture/keep.ts'
import { forget } from '../maintain/forget.ts'
import { sayAnew } from '../maintain/tidy.ts'
import { verifyArchive } from '../maintain/verify.ts'
import type { Archive } from '../store/archive.ts'
import type { Catalog } from './catalog.ts'
import { readKnown } from './known.ts'
import { segmentName } from './layout.ts'
import { hashOf } from './lines.ts'
import { appendSegment, readManifest } from './manifest.ts'

const log = (session: string) => `projects/-p/${session}.jsonl`

/** An archive that notes what its manifest says, however short that is. */
const archiveIn = (world: World) => world.archive({ worthKnowing: 0 })

async function keepAgain(world: World): Promise<Archive> {
  await keep(archiveIn(world), { roots: [world.home], isQuick: true })
  return archiveIn(world)
}

/** Three segments, of which the first is noted: a log that grew, one that was rewritten, one that was kept in a hurry. */
async function keptWorld(world: World): Promise<Archive> {
  world.write(log(sessionA), logBytes(1, 400_000))
  for (let n = 0; n < 120; n++) world.write(`projects/-p/${n}.jsonl`, recordLine(sessionB, '/home/mira/boat', `n ${n}`))
  await keep(archiveIn(world), { roots: [world.home], isQuick: true, quickAbove: 0 })
  world.append(log(sessionA), logBytes(2, 1000))
  await keepAgain(world)
  world.write('projects/-p/1.jsonl', 'something else\n')
  return keepAgain(world)
}

/** In which order they were read says nothing. */
function all({ frames, generations, broken, forgotten, others }: Catalog) {
  const sorted = <Value>(map: ReadonlyMap<string, Value>) => [...map].sort(([one], [other]) => (one < other ? -1 : 1))
  return { frames: sorted(frames), generations: sorted(generations), broken, forgotten, others }
}

/** Asserts that it is of use, and says what the lines say. */
function expectSame({ layout }: Archive): void {
  const { known, ...quick } = readManifest(layout)
  expect(known.segments).toBeGreaterThan(0)
  const { known: none, ...whole } = readManifest(layout, true)
  expect(none).toEqual({ segments: 0, bytes: 0 })
  expect({ ...quick, catalog: all(quick.catalog) }).toEqual({ ...whole, catalog: all(whole.catalog) })
  for (const [first] of whole.catalog.files()) {
    const { home, path } = first ?? { home: '', path: '' }
    expect(quick.catalog.of(home, path)).toEqual(whole.catalog.of(home, path))
    expect(quick.catalog.current(home, path)).toEqual(whole.catalog.current(home, path))
  }
}

describe('what is known of a manifest', () => {
  it('says what its lines say, and the segments behind it are read', async () => {
    await withWorld(async world => {
      const archive = await keptWorld(world)
      const { known, segments, catalog } = archive.manifest
      expect([known.segments, segments.length]).toEqual([1, 3])
      expect([...catalog.frames.values()].some(({ isQuick }) => isQuick === true)).toBe(true)
      expectSame(archive)
    })
  })

  it('says also what a later Clew wrote, what was forgotten and what is broken', async () => {
    await withWorld(async world => {
      const archive = await keptWorld(world)
      await archive.change('test', async manifest => {
        const [frame] = manifest.catalog.frames.keys()
        const [generation] = manifest.catalog.generations.values()
        const lines = [
          { frame: frame ?? '', pack: 'p.gz', at: 0, stored: 1, bytes: 1, colour: 'red' },
          { generation: 'g', home: '/h', path: 'p', size: 9, from: 3, frames: ['lost'], mood: { isGood: true } },
          { forgotten: sessionB },
          { weather: 'fog' },
        ]
        expect(generation).toBeDefined()
        appendSegment(quickOps, archive.layout, manifest, lines)
        for (const line of lines) manifest.catalog.see(line)
      })
      world.append(log(sessionA), 'x\n')
      const after = await keepAgain(world)
      const { catalog } = after.manifest
      expect([catalog.others.length, catalog.broken.size, catalog.forgotten.size]).toEqual([1, 1, 1])
      expectSame(after)
    })
  })

  it('is written again when much came behind it', async () => {
    await withWorld(async world => {
      await keptWorld(world)
      for (let n = 0; n < 200; n++) world.write(`projects/-p/more-${n}.jsonl`, logBytes(n, 100))
      const archive = await keepAgain(world)
      expect(archive.manifest.known.segments).toBe(archive.manifest.segments.length)
      expectSame(archive)
    })
  })

  it('counts for nothing where a segment is not the file that it was: damage is told', async () => {
    await withWorld(async world => {
      const archive = await keptWorld(world)
      const file = join(archive.layout.manifest, segmentName(1))
      const bytes = readFileSync(file)
      bytes.set(Buffer.from('wrong'), 500)
      writeFileSync(file, bytes)
      const manifest = readManifest(archive.layout)
      expect(manifest.known.segments).toBe(0)
      expect(manifest.damage).toMatchObject([{ segment: segmentName(1) }])
    })
  })

  it('does not hide from a verification what is wrong with a segment that looks the same', async () => {
    await withWorld(async world => {
      const archive = await keptWorld(world)
      const file = join(archive.layout.manifest, segmentName(1))
      const bytes = readFileSync(file)
      bytes.set(Buffer.from('wrong'), 500)
      writeFileSync(file, bytes)
      const { size, mtimeMs, ctimeMs, ino } = statSync(file)
      const text = readFileSync(archive.layout.known, 'utf8')
      const known = JSON.parse(text.slice(text.indexOf('\n') + 1)) as { segments: unknown[] }
      known.segments[0] = [segmentName(1), size, mtimeMs, ctimeMs, ino]
      const body = JSON.stringify(known)
      writeFileSync(archive.layout.known, `clew known 1\t${hashOf(Buffer.from(body))}\n${body}`)
      expect(readManifest(archive.layout).damage).toEqual([])
      const { isIntact, findings } = await verifyArchive(archiveIn(world))
      expect([isIntact, findings[0]?.code]).toEqual([false, 'damaged-segment'])
    })
  })

  it('that is damaged, torn or gone costs nothing, and a verification tells of it', async () => {
    await withWorld(async world => {
      const archive = await keptWorld(world)
      const whole = all(readManifest(archive.layout, true).catalog)
      const bytes = readFileSync(archive.layout.known)
      const spoiled = Buffer.from(bytes)
      spoiled[2000] = (spoiled[2000] ?? 0) ^ 4
      for (const wrong of [spoiled, bytes.subarray(0, 3000), Buffer.alloc(0), Buffer.from('\n')]) {
        writeFileSync(archive.layout.known, wrong)
        expect(readKnown(archive.layout, archive.manifest.segments)).toBeNull()
        expect(all(readManifest(archive.layout).catalog)).toEqual(whole)
        const { findings } = await verifyArchive(archiveIn(world))
        expect(findings.map(({ code }) => code)).toEqual(['damaged-known'])
      }
      rmSync(archive.layout.known)
      expect(all(readManifest(archive.layout).catalog)).toEqual(whole)
      expect(await verifyArchive(archiveIn(world))).toMatchObject({ isIntact: true, findings: [] })
      world.append(log(sessionA), 'x\n')
      expectSame(await keepAgain(world))
    })
  })

  it('gives way to a base that was written later', async () => {
    await withWorld(async world => {
      const archive = await keptWorld(world)
      const noted = readFileSync(archive.layout.known)
      await archive.change('test', async manifest => sayAnew(archive, manifest))
      expect(existsSync(archive.layout.known)).toBe(false)
      writeFileSync(archive.layout.known, noted)
      const manifest = readManifest(archive.layout)
      expect(manifest.known.segments).toBe(0)
      expect(all(manifest.catalog)).toEqual(all(readManifest(archive.layout, true).catalog))
      world.append(log(sessionA), 'x\n')
      expectSame(await keepAgain(world))
    })
  })

  it('holds nothing any more of what was forgotten but that it was', async () => {
    await withWorld(async world => {
      const archive = await keptWorld(world)
      expect(readFileSync(archive.layout.known, 'utf8')).toContain(sessionA)
      await forget(archiveIn(world), sessionA)
      expect(existsSync(archive.layout.known)).toBe(false)
      const after = await keepAgain(world)
      expectSame(after)
      expect(readFileSync(archive.layout.known, 'utf8').split(sessionA)).toHaveLength(2)
    })
  })

  it('of a short manifest is not noted', async () => {
    await withWorld(async world => {
      world.write(log(sessionA), logBytes(1, 1000))
      const archive = world.archive()
      await keep(archive, { roots: [world.home] })
      expect(existsSync(archive.layout.known)).toBe(false)
    })
  })
})
