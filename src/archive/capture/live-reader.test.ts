import { truncateSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { logBytes, type World, withWorld } from '../../../test/archive/world.ts'
import { windowBytes } from '../../disk/read/peek.ts'
import { LiveReader } from './live-reader.ts'

const log = 'projects/-p/a.jsonl'
const mebi = 1024 * 1024
const sizes = [1, 5000, windowBytes - 1, windowBytes, windowBytes + 1, 300_000, mebi, mebi + 1, mebi + 9000, 2_500_000]

/** Reads all of a file; `seen` is asked before the reader is closed. */
async function read<Value>(world: World, seen: (reader: LiveReader, all: Buffer) => Value) {
  const reader = new LiveReader(world.at(log), false)
  try {
    const parts: Buffer[] = []
    for await (const chunk of reader.chunks()) parts.push(Buffer.from(chunk))
    return seen(reader, Buffer.concat(parts))
  } finally {
    reader.close()
  }
}

describe('a reader', () => {
  it('gives all bytes, and then both ends of them', async () => {
    await withWorld(async world => {
      for (const size of sizes) {
        const bytes = logBytes(size, size)
        world.write(log, bytes)
        await read(world, (reader, all) => {
          expect(all.equals(bytes)).toBe(true)
          const ends = reader.givenEnds()
          for (const length of [100, 8192, windowBytes]) {
            expect(ends?.head(length).equals(bytes.subarray(0, length))).toBe(true)
          }
          const tail = size > windowBytes ? bytes.subarray(-windowBytes) : null
          expect(ends?.tail()?.equals(tail ?? Buffer.alloc(0)) ?? null).toBe(tail === null ? null : true)
        })
      }
    })
  })

  it('gives no ends of an empty file, nor of one that was cut while it was read', async () => {
    await withWorld(async world => {
      world.write(log, '')
      expect(await read(world, reader => reader.givenEnds())).toBeNull()
      world.write(log, logBytes(1, 5000))
      const reader = new LiveReader(world.at(log), false)
      truncateSync(world.at(log), 4000)
      for await (const _chunk of reader.chunks());
      expect(reader.givenEnds()).toBeNull()
      reader.close()
    })
  })
})
