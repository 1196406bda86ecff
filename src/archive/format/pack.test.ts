import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Fixture, logBytes, quickOps, withFixture } from '../../../test/archive/fixture.ts'
import type { WriteOps } from '../../files/ops.ts'
import type { FramePlace } from './catalog.ts'
import { isPackName, type Layout, largestFrame, layoutOf, packName } from './layout.ts'
import { hashOf } from './lines.ts'
import { PackWriter, readFrame, readFrameSync, storedFrame } from './pack.ts'

interface Packed {
  layout: Layout
  frames: Buffer[]
  places: Map<string, FramePlace>
  writer: PackWriter
}

function writerIn(fixture: Fixture, ops: WriteOps = quickOps) {
  const layout = layoutOf(fixture.archiveFolder)
  mkdirSync(layout.packs, { recursive: true })
  const writer = new PackWriter(ops, layout)
  return { layout, places: writer.placed, writer }
}

async function pack(fixture: Fixture, frames: Buffer[]): Promise<Packed> {
  const { layout, places, writer } = writerIn(fixture)
  for (const frame of frames) await writer.add(hashOf(frame), frame)
  expect(places.size).toBe(0)
  await writer.finish()
  return { layout, frames, places, writer }
}

function placeOf(places: Map<string, FramePlace>, frame: Buffer): FramePlace {
  const place = places.get(hashOf(frame))
  if (place === undefined) throw new Error('no place')
  return place
}

const some = [
  logBytes(1, 10),
  logBytes(2, 50_000),
  logBytes(3, largestFrame),
  Buffer.alloc(1),
  Buffer.alloc(largestFrame, 7),
]

describe('a pack', () => {
  it('gives every frame back, each a brotli stream', async () => {
    await withFixture(async fixture => {
      const { layout, places, writer } = await pack(fixture, some)
      const [name = ''] = readdirSync(layout.packs)
      const bytes = readFileSync(join(layout.packs, name))
      expect(readdirSync(layout.packs)).toEqual([...new Set([...places.values()].map(place => place.pack))])
      expect(isPackName(name)).toBe(true)
      expect(name).toBe(packName(hashOf(bytes)))
      expect(writer.stored).toBe(bytes.length)
      for (const frame of some) {
        const place = placeOf(places, frame)
        expect(readFrameSync(layout, hashOf(frame), place).equals(frame)).toBe(true)
        expect((await readFrame(layout, hashOf(frame), place)).equals(frame)).toBe(true)
        expect(brotliDecompressSync(storedFrame(layout, hashOf(frame), place)).equals(frame)).toBe(true)
      }
    })
  })

  it('notices every flipped bit of a frame, and the other frames stay readable', async () => {
    await withFixture(async fixture => {
      const frames = [logBytes(1, 90), logBytes(2, 120), logBytes(3, 70)]
      const { layout, places } = await pack(fixture, frames)
      const middle = placeOf(places, frames[1] ?? Buffer.alloc(0))
      const path = join(layout.packs, middle.pack)
      const bytes = readFileSync(path)
      for (let bit = middle.at * 8; bit < (middle.at + middle.stored) * 8; bit++) {
        const damaged = Buffer.from(bytes)
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        writeFileSync(path, damaged)
        for (const frame of frames) {
          const read = () => readFrameSync(layout, hashOf(frame), placeOf(places, frame))
          // A bit may mean nothing to the content; then it must be the content.
          if (frame !== frames[1]) expect(read().equals(frame)).toBe(true)
          else expectRightOrError(read, frame)
        }
      }
    })
  })

  it('of format 1 contains gzip members, as its name says', async () => {
    await withFixture(async fixture => {
      const { layout } = writerIn(fixture)
      const members = some.map(frame => gzipSync(frame))
      const bytes = Buffer.concat(members)
      const name = packName(hashOf(bytes), 'gz')
      writeFileSync(join(layout.packs, name), bytes)
      let at = 0
      for (const [index, frame] of some.entries()) {
        const stored = members[index]?.length ?? 0
        const place = { pack: name, at, stored, bytes: frame.length }
        expect(readFrameSync(layout, hashOf(frame), place).equals(frame)).toBe(true)
        expect((await readFrame(layout, hashOf(frame), place)).equals(frame)).toBe(true)
        at += stored
      }
    })
  })

  it('that is missing or short is reported as such', async () => {
    await withFixture(async fixture => {
      const [frame = Buffer.alloc(0)] = some
      const { layout, places } = await pack(fixture, [frame])
      const place = placeOf(places, frame)
      const path = join(layout.packs, place.pack)
      writeFileSync(path, readFileSync(path).subarray(0, -1))
      await expect(readFrame(layout, hashOf(frame), place)).rejects.toMatchObject({ code: 'damaged-frame' })
      rmSync(path)
      await expect(readFrame(layout, hashOf(frame), place)).rejects.toMatchObject({ code: 'missing-pack' })
      expect(() => readFrameSync(layout, hashOf(frame), place)).toThrow(place.pack)
    })
  })

  it('does not unpack more than a frame may have', async () => {
    await withFixture(async fixture => {
      const bomb = Buffer.alloc(largestFrame + 1)
      const { layout, places } = await pack(fixture, [bomb])
      await expect(readFrame(layout, hashOf(bomb), placeOf(places, bomb))).rejects.toMatchObject({
        code: 'damaged-frame',
      })
    })
  })

  it('leaves nothing behind when it is abandoned', async () => {
    await withFixture(async fixture => {
      const { layout, places, writer } = writerIn(fixture)
      for (const frame of some) await writer.add(hashOf(frame), frame)
      await writer.abandon()
      expect(readdirSync(layout.packs)).toEqual([])
      expect(places.size).toBe(0)
    })
  })

  it.each(['write', 'sync', 'rename', 'create'] as const)('that fails at %s says so and names no frame', async call => {
    await withFixture(async fixture => {
      const full = () => {
        throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
      }
      const { layout, places, writer } = writerIn(fixture, { ...quickOps, [call]: full })
      const work = async () => {
        for (const frame of [...some, ...some, ...some]) await writer.add(hashOf(frame), frame)
        await writer.finish()
      }
      await expect(work()).rejects.toMatchObject({ code: 'ENOSPC' })
      await writer.abandon()
      expect(places.size).toBe(0)
      expect(readdirSync(layout.packs)).toEqual([])
    })
  })
})

function expectRightOrError(read: () => Buffer, frame: Buffer): void {
  try {
    expect(read().equals(frame)).toBe(true)
  } catch (error) {
    expect(error).toMatchObject({ code: 'damaged-frame' })
  }
}
