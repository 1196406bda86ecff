// Flips bits of a stored archive, one at a time and each put back: all are found, and sessions that are not named are unharmed.
// CLEW_SEED chooses which bits.

import { appendFileSync, closeSync, openSync, readSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import type { FramePlace, Generation } from '../../src/archive/format/catalog.ts'
import { readFrameSync } from '../../src/archive/format/pack.ts'
import { type VerifyReport, verifyArchive } from '../../src/archive/maintain/verify.ts'
import { type ArchivedSession, archivedHomes } from '../../src/archive/read/sessions.ts'
import type { Archive } from '../../src/archive/store/archive.ts'
import { restoreFiles } from '../../src/archive/transfer/restore.ts'
import { isDeep, seedOr } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { Fixture, imagesBelow, logText, randomOf } from './fixture.ts'

const flips = isDeep ? 10_000 : 600
const seed = seedOr(4711)
/** One in this many is followed by a real restore. */
const restoreEvery = Math.max(1, Math.floor(flips / (isDeep ? 200 : 30)))

const fogSession = 'aaaaaaaa-0000-4000-8000-000000000001'
const forkSession = 'aaaaaaaa-0000-4000-8000-000000000002'
const boatSession = 'aaaaaaaa-0000-4000-8000-000000000003'

let place: Fixture
let home: string
let archive: Archive
let sessions: ArchivedSession[]
let originals: ReturnType<typeof imagesBelow>
let places: ReadonlyMap<string, FramePlace>

/** A few sample sessions, a fork, and files that grew, were rewritten and were moved between runs. */
beforeAll(async () => {
  place = new Fixture()
  home = place.copy().home
  const sampled = /-home-mira-(sakana|bakery\/9a1f|bakery\/57ba)|todos|plans/
  for (const path of imagesBelow(home).keys()) if (!sampled.test(path)) rmSync(join(home, path))
  const boat = join(home, 'projects/-home-mira-boat')
  const fog = logText(fogSession, 40)
  place.fill({
    [`projects/-home-mira-boat/${fogSession}.jsonl`]: fog,
    [`projects/-home-mira-boat/${forkSession}.jsonl`]: fog.replaceAll(fogSession, forkSession),
    [`projects/-home-mira-boat/${boatSession}.jsonl`]: logText(boatSession, 10),
  })
  archive = place.archive({ now: () => Date.now() + 60_000 })
  await capture(archive, { roots: [home] })
  appendFileSync(join(boat, `${fogSession}.jsonl`), logText(fogSession, 15))
  writeFileSync(join(boat, `${forkSession}.jsonl`), logText(forkSession, 30))
  await capture(archive, { roots: [home] })
  appendFileSync(join(boat, `${fogSession}.jsonl`), logText(fogSession, 5))
  renameSync(boat, join(home, 'projects/-home-mira-boats'))
  await capture(archive, { roots: [home] })
  sessions = (await archivedHomes(archive)).flatMap(archived => archived.sessions)
  originals = imagesBelow(home)
  places = archive.manifest.catalog.frames
  // What is read back must come from the archive.
  for (const path of originals.keys()) rmSync(join(home, path))
})

afterAll(() => {
  place.remove()
})

interface Spot {
  file: string
  at: number
  bit: number
}

function flip({ file, at, bit }: Spot): void {
  const descriptor = openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  readSync(descriptor, byte, 0, 1, at)
  byte[0] = (byte[0] ?? 0) ^ (1 << bit)
  writeSync(descriptor, byte, 0, 1, at)
  closeSync(descriptor)
}

function* randomSpots(random: () => number, count: number): Generator<Spot> {
  const files = [...imagesBelow(archive.layout.folder)].map(([path, { bytes }]) => ({ path, size: bytes.length }))
  const total = files.reduce((sum, { size }) => sum + size, 0)
  for (let n = 0; n < count; n++) {
    let at = Math.floor(random() * total)
    for (const { path, size } of files) {
      if (at < size) {
        yield { file: join(archive.layout.folder, path), at, bit: Math.floor(random() * 8) }
        break
      }
      at -= size
    }
  }
}

/** Whether a generation is archived as it was: each frame where it was and, if that is where the flip is, proved. */
function isUnharmed(before: Generation, { file }: Spot): boolean {
  const { catalog } = archive.manifest
  const now = catalog.generations.get(before.id)
  if (now === undefined || now.path !== before.path || now.size !== before.size || now.mode !== before.mode)
    return false
  if (catalog.broken.has(before.id) || now.frames.join() !== before.frames.join()) return false
  return before.frames.every(id => {
    const stored = catalog.frames.get(id)
    if (stored === undefined || !isDeepStrictEqual(stored, places.get(id))) return false
    if (basename(file) !== stored.pack) return true
    try {
      return readFrameSync(archive.layout, id, stored).length === stored.bytes
    } catch {
      return false
    }
  })
}

function unnamed(report: VerifyReport): ArchivedSession[] {
  const named = new Set(report.damaged.map(part => part.session))
  return sessions.filter(({ id }) => !named.has(id))
}

/** Whether a damaged line of the manifest names a session that is not known: its id may be what was damaged. */
function isUnsure(report: VerifyReport): boolean {
  return report.damaged.some(({ session }) => session === null || !sessions.some(({ id }) => id === session))
}

function isInManifest({ file }: Spot): boolean {
  return file.startsWith(archive.layout.manifest)
}

/** Restores those who are not named, for real, and compares with what was there. */
async function expectRestored(report: VerifyReport): Promise<void> {
  const to = place.path('restored')
  const wanted = unnamed(report)
  const back = await restoreFiles(archive, { sessions: wanted, to })
  expect(back.files.filter(({ status }) => status !== 'restored')).toEqual([])
  const found = imagesBelow(to)
  for (const { path } of back.files)
    expect(found.get(path)?.bytes.equals(originals.get(path)?.bytes ?? Buffer.of(0)), path).toBe(true)
  for (const { id, generations } of wanted) {
    for (const { path } of generations) expect(found.has(path), `${id} ${path}`).toBe(true)
  }
  rmSync(to, { recursive: true, force: true })
}

describe('one flipped bit', () => {
  test(`is found wherever it is, and harms those who are named and no one else (${flips} flips)`, {
    timeout: 3_600_000,
  }, async () => {
    expect(await verifyArchive(archive)).toMatchObject({ isIntact: true, damaged: [], findings: [] })
    let harmful = 0
    let count = 0
    for (const spot of randomSpots(randomOf(seed), flips)) {
      const spotText = `bit ${spot.bit} of byte ${spot.at} of ${spot.file}`
      flip(spot)
      const report = await verifyArchive(archive)
      if (report.isIntact || report.findings.length === 0) throw new Error(`not found: ${spotText}`)
      archive.reload()
      const named = new Set(report.damaged.map(part => part.session))
      for (const { id, generations } of sessions) {
        const isHarmed = !generations.every(generation => isUnharmed(generation, spot))
        if (isHarmed && !named.has(id) && !isUnsure(report)) throw new Error(`not named: ${id} by ${spotText}`)
        if (!isHarmed && named.has(id) && !isInManifest(spot)) throw new Error(`wrongly named: ${id} by ${spotText}`)
      }
      if (report.damaged.length > 0) harmful++
      if (count++ % restoreEvery === 0 && !isUnsure(report)) await expectRestored(report)
      flip(spot)
    }
    archive.reload()
    expect(await verifyArchive(archive)).toMatchObject({ isIntact: true, damaged: [] })
    reportSweep('bit flip in the archive', count, 0)
    expect(harmful).toBeGreaterThan(count / 20)
  })
})
