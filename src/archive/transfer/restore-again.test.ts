import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeFiles } from '../../../test/archive/mend-home.ts'
import { capture } from '../capture/capture.ts'
import { Archive } from '../store/archive.ts'
import { restoreFiles } from './restore.ts'

const firstPath = 'projects/-home-dev-shop/00000000-0000-4000-8000-000000000000.jsonl'
let place: string
let home: string
let archive: Archive

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'clew-restore-again-'))
  home = join(place, '.claude')
  makeFiles(home)
  archive = new Archive(join(place, 'archive'))
  await capture(archive, { roots: [home] })
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

describe('a restore over another file', () => {
  test('can be repeated, and the file continues as the generation that was restored', async () => {
    const target = join(home, firstPath)
    const archived = readFileSync(target)
    writeFileSync(target, 'other content\n')
    const old = Date.now() - 3_600_000
    utimesSync(target, old / 1000, old / 1000)
    for (const status of ['restored', 'same']) {
      const report = await restoreFiles(new Archive(archive.layout.folder), { isOverwriting: true })
      expect(report.files.find(({ path }) => path === firstPath)?.status).toBe(status)
      expect(readFileSync(target)).toEqual(archived)
    }
    const again = new Archive(archive.layout.folder)
    await capture(again, { roots: [home] })
    const generations = again.manifest.catalog.of(home, firstPath)
    expect(generations.map(({ origin, size }) => [origin, size])).toEqual([
      [undefined, archived.length],
      ['replaced', 'other content\n'.length],
    ])
  })
})
