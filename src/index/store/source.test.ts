import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { logBytes, sessionA, type World, withWorld } from '../../../test/archive/world.ts'
import { keep } from '../../archive/capture/keep.ts'
import { archiveSource, keptGeneration } from '../../archive/read/source.ts'
import type { Archive } from '../../archive/store/archive.ts'
import type { FileTask } from '../ingest/rows.ts'
import { taskSource } from './source.ts'

const log = `projects/-p/${sessionA}.jsonl`
const content = logBytes(1, 3_000_000)

async function kept(world: World): Promise<{ archive: Archive; task: FileTask }> {
  world.write(log, content)
  await keep(world.archive(), { roots: [world.home] })
  const archive = world.archive()
  const { catalog } = archive.manifest
  const generation = catalog.current(world.home, log)
  if (generation === undefined) throw new Error('it was not kept')
  const { id, size, frames: ids } = generation
  const lengths = ids.map(frame => catalog.frames.get(frame)?.bytes ?? 0)
  expect(ids.length).toBeGreaterThan(4)
  const place = join(world.home, log)
  const base = { file: 1, path: place, role: 'session', size, indexed: 0, isLive: false } as const
  return { archive, task: { ...base, source: keptGeneration(id), frames: { place, ids, lengths } } }
}

async function read(archive: Archive, task: FileTask, from = 0): Promise<{ bytes: Buffer; asked: number }> {
  let asked = 0
  const open = () => {
    asked++
    return archiveSource(archive)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of taskSource(task, open).read(keptGeneration(task.source.slice(5)), from, task.size)) {
    chunks.push(Buffer.from(chunk))
  }
  return { bytes: Buffer.concat(chunks), asked }
}

describe('what was kept just now', () => {
  it('is read where it lies, and the archive is not even opened', async () => {
    await withWorld(async world => {
      const { archive, task } = await kept(world)
      const { bytes, asked } = await read(archive, task)
      expect(bytes.equals(content)).toBe(true)
      expect(asked).toBe(0)
      appendFileSync(join(world.home, log), 'more of it\n')
      expect((await read(archive, task)).bytes.equals(content)).toBe(true)
    })
  })

  it.each([
    ['changed in the middle', (place: string) => writeFileSync(place, changed(1_500_000))],
    ['changed at its first byte', (place: string) => writeFileSync(place, changed(0))],
    ['changed at its last byte', (place: string) => writeFileSync(place, changed(content.length - 1))],
    ['cut', (place: string) => writeFileSync(place, content.subarray(0, 1_000_000))],
    ['deleted', (place: string) => rmSync(place)],
  ])('comes from the archive as it was when the file is %s meanwhile', async (_how, change) => {
    await withWorld(async world => {
      const { archive, task } = await kept(world)
      change(join(world.home, log))
      const { bytes, asked } = await read(archive, task)
      expect(bytes.equals(content)).toBe(true)
      expect(asked).toBe(1)
    })
  })

  it('is read from any place on', async () => {
    await withWorld(async world => {
      const { archive, task } = await kept(world)
      const border = task.frames?.lengths[0] ?? 0
      for (const from of [1, border - 1, border, border + 1, content.length - 1, content.length]) {
        const { bytes } = await read(archive, task, from)
        expect(bytes.equals(content.subarray(from)), String(from)).toBe(true)
      }
    })
  })
})

function changed(at: number): Buffer {
  const other = Buffer.from(content)
  other[at] = (other[at] ?? 0) ^ 1
  return other
}
