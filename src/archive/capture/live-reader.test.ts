import { appendFileSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Fixture, logBytes, withFixture } from '../../../test/archive/fixture.ts'
import { LiveReader } from './live-reader.ts'

const log = 'projects/-p/a.jsonl'
const mebi = 1024 * 1024

/** Reads a file to its end; `during` is called after its first chunk. */
async function readAll(fixture: Fixture, during: () => void = () => {}) {
  const reader = new LiveReader(fixture.at(log))
  try {
    const parts: Buffer[] = []
    for await (const chunk of reader.chunks()) {
      if (parts.length === 0) during()
      parts.push(chunk)
    }
    return { bytes: Buffer.concat(parts), isMixed: await reader.isMixed() }
  } finally {
    reader.close()
  }
}

describe('a live file', () => {
  it('is read whole, whatever its size', async () => {
    await withFixture(async fixture => {
      for (const size of [0, 1, 5000, mebi - 1, mebi, mebi + 1, 2_500_000]) {
        const bytes = logBytes(size, size)
        fixture.write(log, bytes)
        const read = await readAll(fixture)
        expect(read.bytes.equals(bytes)).toBe(true)
        expect(read.isMixed).toBe(false)
      }
    })
  })

  it('that only grows while it is read gives what it was', async () => {
    await withFixture(async fixture => {
      const bytes = logBytes(1, 2_500_000)
      fixture.write(log, bytes)
      const read = await readAll(fixture, () => appendFileSync(fixture.at(log), 'more'))
      expect(read.bytes.equals(bytes)).toBe(true)
      expect(read.isMixed).toBe(false)
    })
  })

  it('that is rewritten or cut while it is read is reported as mixed', async () => {
    await withFixture(async fixture => {
      const changes = [
        () => writeFileSync(fixture.at(log), logBytes(2, 2_500_000)),
        () => truncateSync(fixture.at(log), 4000),
      ]
      for (const change of changes) {
        fixture.write(log, logBytes(1, 2_500_000))
        expect(await readAll(fixture, change)).toMatchObject({ isMixed: true })
      }
    })
  })
})
