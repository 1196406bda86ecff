import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { archivedBytes, type Fixture, logBytes, sessionA, withFixture } from '../../../test/archive/fixture.ts'
import { capture } from '../capture/capture.ts'
import { readFrameSync } from '../format/pack.ts'
import type { Archive } from '../store/archive.ts'
import { tidy } from './tidy.ts'

const log = `projects/-p/${sessionA}.jsonl`

/** An archive of this many small packs. */
async function archiveOf(fixture: Fixture, packs: number): Promise<Archive> {
  for (let count = 0; count < packs; count++) {
    fixture.write(`projects/-p/${count}.jsonl`, logBytes(count, 1000))
    await capture(fixture.archive(), { roots: [fixture.home] })
  }
  return fixture.archive()
}

const packsIn = (archive: Archive) => readdirSync(archive.layout.packs)

async function contents(archive: Archive): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for (const id of archive.manifest.catalog.generations.keys()) all.set(id, String(await archivedBytes(archive, id)))
  return all
}

describe('tidying up', () => {
  it('joins small packs when there are sixteen, and what is archived stays the same', async () => {
    await withFixture(async fixture => {
      const before = await archiveOf(fixture, 15)
      expect(packsIn(before)).toHaveLength(15)
      const archived = await contents(before)
      const after = await archiveOf(fixture, 16)
      expect(packsIn(after)).toHaveLength(1)
      expect(after.manifest.segments).toHaveLength(1)
      expect(after.manifest.stale).toEqual([])
      const all = await contents(after)
      for (const [id, text] of archived) expect(all.get(id)).toBe(text)
      expect(all.size).toBe(16)
    })
  })

  it('does nothing where nothing is due', async () => {
    await withFixture(async fixture => {
      const archive = await archiveOf(fixture, 3)
      const before = archive.lastSegment()
      await archive.change('test', manifest => tidy(archive, manifest))
      expect(archive.lastSegment()).toBe(before)
      expect(packsIn(archive)).toHaveLength(3)
    })
  })

  it('thoroughly leaves no byte in a pack that no generation needs', async () => {
    await withFixture(async fixture => {
      const archive = await archiveOf(fixture, 5)
      const [first, second] = [...archive.manifest.catalog.generations.keys()]
      const archived = await contents(archive)
      await archive.change('test', async manifest => {
        manifest.catalog.drop(first ?? '')
        await tidy(archive, manifest, true)
      })
      const after = fixture.archive()
      const { catalog } = after.manifest
      expect(catalog.generations.has(first ?? '')).toBe(false)
      const needed = [...catalog.liveFrames()].reduce((sum, id) => sum + (catalog.frames.get(id)?.stored ?? 0), 0)
      const stored = packsIn(after).reduce((sum, name) => sum + statSync(join(after.layout.packs, name)).size, 0)
      expect(stored).toBe(needed)
      expect(catalog.frames.size).toBe(catalog.liveFrames().size)
      expect((await contents(after)).get(second ?? '')).toBe(archived.get(second ?? ''))
    })
  })

  it('leaves a damaged frame where it is, joins the others, and does not begin again at every run', async () => {
    await withFixture(async fixture => {
      const archive = await archiveOf(fixture, 14)
      const [broken] = packsIn(archive)
      const path = join(archive.layout.packs, broken ?? '')
      const bytes = readFileSync(path)
      bytes[20] = (bytes[20] ?? 0) ^ 4
      writeFileSync(path, bytes)
      const after = await archiveOf(fixture, 20)
      expect(packsIn(after)).toContain(broken)
      expect(packsIn(after).length).toBeLessThan(10)
      const { catalog } = after.manifest
      let damaged = 0
      for (const id of catalog.liveFrames()) {
        const place = catalog.frames.get(id)
        if (place === undefined) throw new Error('a frame has no place')
        try {
          readFrameSync(after.layout, id, place)
        } catch {
          damaged++
          expect(place.pack).toBe(broken)
        }
      }
      expect(damaged).toBe(1)
    })
  })

  it('does not rewrite the manifest where all that is due is damaged', async () => {
    await withFixture(async fixture => {
      const archive = await archiveOf(fixture, 15)
      for (const name of packsIn(archive)) writeFileSync(join(archive.layout.packs, name), 'damaged')
      fixture.write(log, 'one more\n')
      await capture(archive, { roots: [fixture.home] })
      const before = archive.lastSegment()
      await archive.change('test', manifest => tidy(archive, manifest))
      expect(archive.lastSegment()).toBe(before)
      expect(packsIn(archive)).toHaveLength(16)
    })
  })

  it('keeps away from a damaged manifest: what it does not name may still be needed', async () => {
    await withFixture(async fixture => {
      const archive = await archiveOf(fixture, 15)
      const segment = join(archive.layout.manifest, archive.manifest.segments[4] ?? '')
      writeFileSync(segment, readFileSync(segment).fill(0x2e, 100, 140))
      const before = packsIn(archive)
      const after = await archiveOf(fixture, 17)
      expect(packsIn(after)).toEqual(expect.arrayContaining(before))
      expect(after.manifest.damage).toHaveLength(1)
    })
  })

  it('rewrites the manifest when it has many segments', async () => {
    await withFixture(async fixture => {
      fixture.write(log, 'x\n')
      for (let count = 0; count < 70; count++) {
        fixture.append(log, 'x\n')
        const archive = fixture.archive()
        await capture(archive, { roots: [fixture.home] })
        expect(archive.manifest.segments.length).toBeLessThanOrEqual(64)
      }
    })
  })
})
