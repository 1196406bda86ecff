import { readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  archivedBytes,
  type Fixture,
  logBytes,
  sessionA,
  sessionB,
  withFixture,
} from '../../../test/archive/fixture.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import type { GenerationId } from '../../model/source.ts'
import { capture } from '../capture/capture.ts'
import { lostFrames } from '../format/catalog.ts'
import { writeBase } from '../format/manifest.ts'
import type { Archive } from '../store/archive.ts'
import { archivedGeneration, archivedId, archiveSource } from './source.ts'

const log = `projects/-p/${sessionA}.jsonl`

async function archived(fixture: Fixture): Promise<{ archive: Archive; id: string }> {
  fixture.aheadMs = 10_000
  await capture(fixture.archive(), { roots: [fixture.home] })
  const archive = fixture.archive()
  return { archive, id: archive.manifest.catalog.current(fixture.home, log)?.id ?? '' }
}

async function read(archive: Archive, generation: GenerationId, from = 0, to = Number.POSITIVE_INFINITY) {
  const chunks: Uint8Array[] = []
  for await (const chunk of archiveSource(archive).read(generation, from, to)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function liveGeneration(path: string): GenerationId {
  const found = diskTree.stat(path)
  if (found.kind !== 'file') throw new Error('no file')
  return found.generation
}

/** Makes the stored bytes useless, so that only the live file can answer. */
function spoilPacks(archive: Archive): void {
  for (const name of readdirSync(archive.layout.packs)) writeFileSync(join(archive.layout.packs, name), 'spoiled')
}

const content = logBytes(1, 3_000_000)

describe('archived bytes', () => {
  it('come from the live file while nothing was done to it', async () => {
    await withFixture(async fixture => {
      fixture.write(log, content)
      const { archive, id } = await archived(fixture)
      spoilPacks(archive)
      expect((await archivedBytes(archive, id)).equals(content)).toBe(true)
      const range = archiveSource(archive).readSync(archivedGeneration(id), 5, 2_000_000)
      expect(content.subarray(5, 2_000_000).equals(range)).toBe(true)
    })
  })

  it.each(['deleted', 'cut', 'rewritten', 'replaced', 'moved', 'grown'])(
    'come from the frames when it was %s',
    async how => {
      await withFixture(async fixture => {
        fixture.write(log, content)
        const { archive, id } = await archived(fixture)
        const place = fixture.at(log)
        await new Promise(done => setTimeout(done, 15))
        if (how === 'deleted') rmSync(place)
        else if (how === 'cut') truncateSync(place, 100)
        else if (how === 'rewritten') writeFileSync(place, Buffer.alloc(content.length, 'x'))
        else if (how === 'moved') renameSync(place, fixture.at('elsewhere'))
        else if (how === 'grown') fixture.append(log, 'more')
        else {
          writeFileSync(fixture.at('aside'), 'other')
          renameSync(fixture.at('aside'), place)
        }
        for (const [from, to] of [
          [0, Number.POSITIVE_INFINITY],
          [1_048_570, 1_048_580],
          [2_999_999, 5_000_000],
          [7, 7],
        ] as const) {
          const range = content.subarray(from, Math.min(to, content.length))
          expect((await archivedBytes(archive, id, from, to)).equals(range)).toBe(true)
          expect(range.equals(archiveSource(archive).readSync(archivedGeneration(id), from, to))).toBe(true)
        }
      })
    },
  )

  it('continue from the frames when the live file is cut, deleted or rewritten while it is read', async () => {
    for (const how of ['cut', 'deleted', 'rewritten'] as const) {
      await withFixture(async fixture => {
        fixture.write(log, content)
        const { archive, id } = await archived(fixture)
        await new Promise(done => setTimeout(done, 15))
        const chunks: Uint8Array[] = []
        for await (const chunk of archiveSource(archive).read(archivedGeneration(id), 0, content.length)) {
          if (chunks.length === 0 && how === 'cut') truncateSync(fixture.at(log), 10)
          if (chunks.length === 0 && how === 'deleted') rmSync(fixture.at(log))
          if (chunks.length === 0 && how === 'rewritten') writeFileSync(fixture.at(log), Buffer.alloc(content.length))
          chunks.push(chunk)
        }
        expect(Buffer.concat(chunks).equals(content)).toBe(true)
      })
    }
  })

  it('never come from a live file that is not yet sure to be unchanged', async () => {
    await withFixture(async fixture => {
      fixture.write(log, content)
      const archive = fixture.archive()
      await capture(archive, { roots: [fixture.home] })
      const id = archive.manifest.catalog.current(fixture.home, log)?.id ?? ''
      spoilPacks(archive)
      await expect(archivedBytes(archive, id)).rejects.toThrow(fixture.at(log))
    })
  })

  it('touch only the frames of the range', async () => {
    await withFixture(async fixture => {
      fixture.write(log, content)
      const { archive, id } = await archived(fixture)
      rmSync(fixture.at(log))
      const { catalog } = archive.manifest
      const frames = catalog.generations.get(id)?.frames ?? []
      expect(frames.length).toBeGreaterThan(3)
      // The place of the last frame is not known: what is before it is none the worse.
      const last = catalog.frames.get(frames.at(-1) ?? '')
      catalog.frames.delete(frames.at(-1) ?? '')
      writeBase(archive.ops, archive.layout, archive.manifest)
      const end = content.length - (last?.bytes ?? 0)
      expect((await archivedBytes(archive, id, 10, end)).equals(content.subarray(10, end))).toBe(true)
      await expect(archivedBytes(archive, id, 10, end + 1)).rejects.toMatchObject({ code: 'lost-frame', offset: end })
      expect(() => archiveSource(archive).readSync(archivedGeneration(id), end, end + 1)).toThrow('lost-frame')
    })
  })

  it('behind a loss are never shown in another place', async () => {
    await withFixture(async fixture => {
      fixture.write(log, content)
      const { archive, id } = await archived(fixture)
      rmSync(fixture.at(log))
      const generation = archive.manifest.catalog.generations.get(id)
      if (generation === undefined) throw new Error('not archived')
      const [first = '', , ...rest] = generation.frames
      generation.frames = [first, lostFrames, ...rest]
      writeBase(archive.ops, archive.layout, archive.manifest)
      const end = archive.manifest.catalog.frames.get(first)?.bytes ?? 0
      expect((await archivedBytes(archive, id, 0, end)).equals(content.subarray(0, end))).toBe(true)
      await expect(archivedBytes(archive, id)).rejects.toMatchObject({ code: 'lost-frame' })
    })
  })

  it('are an error with file and byte where a frame is damaged, never wrong bytes', async () => {
    await withFixture(async fixture => {
      fixture.write(log, content)
      const { archive, id } = await archived(fixture)
      rmSync(fixture.at(log))
      spoilPacks(archive)
      await expect(archivedBytes(archive, id, 100, 200)).rejects.toMatchObject({ path: fixture.at(log), offset: 100 })
      const source = archiveSource(archive)
      expect(() => source.readSync(archivedGeneration(id), 100, 200)).toThrow(/damaged-frame/)
      for (const name of readdirSync(archive.layout.packs)) rmSync(join(archive.layout.packs, name))
      await expect(archivedBytes(archive, id)).rejects.toMatchObject({ name: 'ReadError', code: 'missing-pack' })
      expect(() => source.readSync(archivedGeneration(id), 0, 10)).toThrow(/missing-pack/)
    })
  })

  it('of an unknown generation are missing', async () => {
    await withFixture(async fixture => {
      fixture.write(log, content)
      const { archive } = await archived(fixture)
      await expect(archivedBytes(archive, 'nothing')).rejects.toMatchObject({ code: 'ENOENT' })
      expect(() => archiveSource(archive).readSync(archivedGeneration('nothing'), 0, 1)).toThrow('ENOENT')
      expect(archivedId(archivedGeneration('g'))).toBe('g')
      expect(archivedId('disk:1-2-3:/kept:x' as GenerationId)).toBeNull()
    })
  })
})

describe('a live file', () => {
  it('is answered from disk, and from what was archived of it once it is gone', async () => {
    await withFixture(async fixture => {
      const place = fixture.write(log, content)
      const { archive } = await archived(fixture)
      const live = liveGeneration(place)
      fixture.append(log, 'more')
      expect((await read(archive, live)).length).toBe(content.length + 4)
      rmSync(place)
      expect((await read(archive, live)).equals(content)).toBe(true)
      expect(content.subarray(3, 9).equals(archiveSource(archive).readSync(live, 3, 9))).toBe(true)
    })
  })

  it('that was never archived and is gone is missing', async () => {
    await withFixture(async fixture => {
      fixture.write(log, 'x\n')
      const { archive } = await archived(fixture)
      const other = liveGeneration(fixture.write(`projects/-p/${sessionB}.jsonl`, 'y\n'))
      rmSync(fixture.at(`projects/-p/${sessionB}.jsonl`))
      await expect(read(archive, other)).rejects.toMatchObject({ code: 'ENOENT' })
      expect(() => archiveSource(archive).readSync(other, 0, 1)).toThrow('ENOENT')
    })
  })

  it('is answered without any archive', async () => {
    await withFixture(async fixture => {
      const live = liveGeneration(fixture.write(log, 'text'))
      expect(String(await read(fixture.archive(), live))).toBe('text')
      rmSync(fixture.at(log))
      await expect(read(fixture.archive(), live)).rejects.toMatchObject({ code: 'ENOENT' })
    })
  })
})
