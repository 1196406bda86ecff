import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeFiles } from '../../../test/archive/mend-home.ts'
import { capture } from '../capture/capture.ts'
import { Archive } from '../store/archive.ts'
import { mendArchive } from './mend.ts'
import { verifyArchive } from './verify.ts'

let place: string
let home: string
const open = () => new Archive(join(place, 'archive'))

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'clew-mend-'))
  home = join(place, '.claude')
  makeFiles(home)
  await capture(open(), { roots: [home] })
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

function flip(folder: 'packs' | 'manifest', at: (size: number) => number): void {
  const path = join(place, 'archive', folder, readdirSync(join(place, 'archive', folder))[0] ?? '')
  const bytes = readFileSync(path)
  const byte = at(bytes.length)
  bytes[byte] = (bytes[byte] ?? 0) ^ 4
  writeFileSync(path, bytes)
}

describe('mending', () => {
  test('an intact archive changes nothing', async () => {
    const before = readdirSync(join(place, 'archive/manifest'))
    expect(await mendArchive(open())).toEqual({ lines: 0, linesLost: 0, frames: 0, lost: 0, packs: 0 })
    expect(readdirSync(join(place, 'archive/manifest'))).toEqual(before)
  })

  test('stores a damaged frame again from the file that still has it', async () => {
    flip('packs', size => Math.floor(size / 2))
    expect((await verifyArchive(open())).isIntact).toBe(false)
    expect(await mendArchive(open())).toMatchObject({ frames: 1, lost: 0, packs: 1 })
    expect(await verifyArchive(open())).toMatchObject({ isIntact: true, damaged: [] })
  })

  test('rewrites the closing line of a segment, which only guards the others', async () => {
    flip('manifest', size => size - 10)
    expect((await verifyArchive(open())).isIntact).toBe(false)
    expect(await mendArchive(open())).toMatchObject({ lines: 1, linesLost: 0 })
    expect(await verifyArchive(open())).toMatchObject({ isIntact: true, damaged: [], generations: 3 })
  })

  test('leaves what no file has any more, and reports it', async () => {
    rmSync(home, { recursive: true })
    flip('packs', size => Math.floor(size / 2))
    const { damaged } = await verifyArchive(open())
    expect(damaged.length).toBeGreaterThan(0)
    expect(await mendArchive(open())).toMatchObject({ frames: 0, lost: 1 })
    expect((await verifyArchive(open())).damaged).toEqual(damaged)
  })

  test('does not guess what a damaged line said, and leaves the manifest and all packs as they are', async () => {
    const folder = join(place, 'archive/manifest')
    const path = join(folder, readdirSync(folder)[0] ?? '')
    const text = readFileSync(path, 'latin1')
    // Two letters of a path: still JSON.
    const at = text.indexOf('"path":"projects/') + 8
    writeFileSync(path, `${text.slice(0, at)}qs${text.slice(at + 2)}`, 'latin1')
    rmSync(home, { recursive: true })
    const packs = readdirSync(join(place, 'archive/packs'))
    const damaged = readFileSync(path)
    expect(await mendArchive(open())).toMatchObject({ lines: 0, linesLost: 1 })
    expect(readFileSync(path)).toEqual(damaged)
    expect(readdirSync(join(place, 'archive/packs'))).toEqual(packs)
    expect([...open().manifest.catalog.generations.values()].some(one => one.path.startsWith('qs'))).toBe(false)
  })
})
