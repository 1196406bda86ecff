import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { damageOf } from '../../../test/archive/faults.ts'
import { currentIn, keptBytes, logBytes, run, sessionA, type World, withWorld } from '../../../test/archive/world.ts'
import { discover } from '../../disk/discover/discover.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { readSeen, waitingBytes } from '../capture/seen.ts'
import { segmentBytes } from '../format/lines.ts'
import type { Archive } from '../store/archive.ts'
import { forget } from './forget.ts'
import { quickBytes, recompress } from './recompress.ts'
import { archiveStatus } from './status.ts'

const log = `projects/-p/${sessionA}.jsonl`
const quickly = { isQuick: true, quickAbove: 0 }

/** Files are settled: a run over unchanged ones sees nothing new. */
async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  await withWorld(async world => {
    world.aheadMs = 10_000
    await work(world)
  })
}

function quickCount(archive: Archive): number {
  return [...archive.manifest.catalog.frames.values()].filter(({ isQuick }) => isQuick === true).length
}

function packBytesOf(archive: Archive): number {
  return readdirSync(archive.layout.packs).reduce(
    (sum, name) => sum + statSync(join(archive.layout.packs, name)).size,
    0,
  )
}

describe('a quick run', () => {
  it('stores more bytes and marks them, and a later run makes them as few as a usual one', async () => {
    const bytes = logBytes(1, 4_000_000)
    let usual = 0
    await inWorld(async world => {
      world.write(log, bytes)
      usual = packBytesOf((await run(world)).archive)
    })
    await inWorld(async world => {
      world.write(log, bytes)
      const { archive } = await run(world, quickly)
      expect(packBytesOf(archive)).toBeGreaterThan(usual * 1.05)
      expect(quickCount(archive)).toBe(archive.manifest.catalog.frames.size)
      expect(await damageOf(world.folder)).toEqual([])
      const { id } = currentIn(archive, world, log)
      expect((await keptBytes(archive, id)).equals(bytes)).toBe(true)

      const done: number[] = []
      let total = 0
      const begin = (all: number) => {
        total = all
      }
      const later = await run(world, { begin, progress: more => done.push(more) })
      expect(later.report).toMatchObject({ added: 0, grown: 0, bytes: 0, stored: 0, isStopped: false, findings: [] })
      expect(total).toBe(bytes.length)
      expect(done.reduce((sum, more) => sum + more)).toBe(bytes.length)
      expect(quickCount(later.archive)).toBe(0)
      expect(Math.abs(packBytesOf(later.archive) / usual - 1)).toBeLessThan(0.01)
      expect((await keptBytes(later.archive, id)).equals(bytes)).toBe(true)
      expect(await damageOf(world.folder)).toEqual([])
    })
  })

  it('compresses as usual what is not much', async () => {
    await inWorld(async world => {
      world.write(log, logBytes(1, 300_000))
      const { archive } = await run(world, { isQuick: true })
      expect(quickCount(archive)).toBe(0)
      expect(waitingBytes(readSeen(archive.layout)?.stamp ?? '')).toBe(0)
    })
  })

  it('with nothing new leaves all as it is, and so does a usual one once nothing waits', async () => {
    await inWorld(async world => {
      world.write(log, logBytes(1, 300_000))
      const first = await run(world, quickly)
      const before = first.archive.lastSegment()
      expect(waitingBytes(readSeen(first.archive.layout)?.stamp ?? '')).toBe(300_000)
      const again = await run(world, { ...quickly, begin: () => expect.unreachable('nothing is new') })
      expect(again.archive.lastSegment()).toBe(before)

      await run(world)
      const settled = world.archive().lastSegment()
      expect(settled).not.toBe(before)
      // Whoever reads the manifest from here on throws.
      const later = segmentBytes([{ clew: 'archive', format: 99 }])
      writeFileSync(join(first.archive.layout.manifest, settled), later)
      expect(() => world.archive().manifest).toThrow('newer Clew')
      for (const options of [{}, quickly]) await run(world, options)
    })
  })

  it('keeps its mark when packs are written anew for another reason', async () => {
    await inWorld(async world => {
      world.write(log, logBytes(1, 300_000))
      world.write('projects/-p/other.jsonl', logBytes(2, 300_000))
      await run(world, quickly)
      const { id } = currentIn(world.archive(), world, 'projects/-p/other.jsonl')
      await forget(world.archive(), sessionA)
      const archive = world.archive()
      expect(quickBytes(archive.manifest.catalog)).toBe(300_000)
      const later = await run(world)
      expect(quickCount(later.archive)).toBe(0)
      expect((await keptBytes(later.archive, id)).equals(logBytes(2, 300_000))).toBe(true)
    })
  })

  it('is told by status as any other', async () => {
    await inWorld(async world => {
      world.write(log, logBytes(1, 500_000))
      for (const options of [quickly, {}]) {
        const { archive } = await run(world, options)
        const discoveries = [await discover(world.home)]
        const status = await archiveStatus(archive, { roots: [world.home], discoveries, retention: new Retention() })
        expect(status).toMatchObject({ files: 1, bytes: 500_000, sharedBytes: 0, packs: 1, unarchivedBytes: 0 })
        expect(status.storedBytes).toBeGreaterThan(packBytesOf(archive))
        expect(status.damage).toEqual([])
      }
    })
  })
})

describe('compressing anew', () => {
  async function threeQuickPacks(world: World): Promise<Archive> {
    for (const n of [1, 2, 3]) {
      world.write(`projects/-p/${n}.jsonl`, logBytes(n, 400_000))
      await run(world, quickly)
    }
    return world.archive()
  }

  it('goes step by step, and removes old packs after each', async () => {
    await inWorld(async world => {
      const archive = await threeQuickPacks(world)
      const before = new Set(readdirSync(archive.layout.packs))
      expect(before.size).toBe(3)
      const left = new Set<number>()
      await archive.change('test', manifest =>
        recompress(archive, manifest, {
          stepBytes: 1,
          progress: () => left.add(readdirSync(archive.layout.packs).filter(name => before.has(name)).length),
        }),
      )
      expect([...left]).toEqual([3, 2, 1])
      expect(quickCount(world.archive())).toBe(0)
      expect(await damageOf(world.folder)).toEqual([])
    })
  })

  it('stops when it is asked to with what is done, and the next run goes on', async () => {
    await inWorld(async world => {
      await threeQuickPacks(world)
      const all = quickCount(world.archive())
      let frames = 0
      const stopped = await run(world, { progress: () => frames++, isStopped: () => frames >= 2 })
      expect(stopped.report.isStopped).toBe(true)
      expect(quickCount(stopped.archive)).toBe(all - 2)
      const waiting = waitingBytes(readSeen(stopped.archive.layout)?.stamp ?? '')
      expect(waiting).toBe(quickBytes(stopped.archive.manifest.catalog))
      expect(await damageOf(world.folder)).toEqual([])

      const { archive, report } = await run(world)
      expect(report.isStopped).toBe(false)
      expect(quickCount(archive)).toBe(0)
      for (const n of [1, 2, 3]) {
        const { id } = currentIn(archive, world, `projects/-p/${n}.jsonl`)
        expect((await keptBytes(archive, id)).equals(logBytes(n, 400_000))).toBe(true)
      }
    })
  })

  it('leaves a damaged frame where it is for verify to tell, and does not try again with every run', async () => {
    await inWorld(async world => {
      world.write(log, logBytes(1, 900_000))
      const { archive } = await run(world, quickly)
      const [first] = archive.manifest.catalog.frames.values()
      const pack = join(archive.layout.packs, first?.pack ?? '')
      const before = statSync(pack).size
      writeFileSync(pack, Buffer.alloc(40), { flag: 'r+' })
      await run(world)
      expect(quickCount(world.archive())).toBe(1)
      expect(statSync(pack).size).toBe(before)
      expect(await damageOf(world.folder)).not.toEqual([])
      await run(world, { begin: () => expect.unreachable('nothing is new') })
    })
  })
})
