// What one archive has comes into another as it was: an archive is a folder, and a copy of it is what is imported.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { forget } from '../../src/archive/maintain/forget.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { importBackup } from '../../src/archive/transfer/import.ts'
import {
  archivedBytes,
  type Fixture,
  logBytes,
  quickOps,
  recordLine,
  sessionA,
  sessionB,
  sessionC,
  withFixture,
} from './fixture.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`

/** Everything that an archive says of its generations, but when they were archived and which file they were on the disk. */
async function factsOf(archive: Archive) {
  const facts: object[] = []
  for (const {
    id,
    archivedMs: _,
    identity: __,
    closed: ___,
    frames: ____,
    ...generation
  } of archive.manifest.catalog.generations.values()) {
    const isCurrent = archive.manifest.catalog.current(generation.home, generation.path)?.id === id
    facts.push({ ...generation, isCurrent, content: (await archivedBytes(archive, id)).toString('latin1') })
  }
  return facts.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

/** The homes of `richArchive`: those of this machine. */
const homesOf = (fixture: Fixture) => [fixture.home, join(fixture.folder, 'second', '.claude')]

/** A copy of the folder, as any tool makes one. */
function copyOf(archive: Archive, fixture: Fixture, inside = ''): string {
  const folder = join(fixture.folder, 'copy')
  cpSync(archive.layout.folder, join(folder, inside), { recursive: true })
  return folder
}

/** Two homes, several generations, an import, odd names. */
async function richArchive(fixture: Fixture): Promise<Archive> {
  const archive = fixture.archive()
  const second = join(fixture.folder, 'second', '.claude')
  for (const n of [1, 2, 3]) {
    fixture.write(logOf(sessionA), recordLine(sessionA, '/home/mira/boat', `rewrite ${n}`))
    fixture.write(`projects/-home-mira-boat/${sessionA}/tool-results/a:b ${n}.txt`, `odd ${n}`)
    fixture.write('history.jsonl', `{"display":"${n}"}\n`)
    await capture(archive, { roots: [fixture.home] })
  }
  fixture.write(logOf(sessionB), logBytes(1, 1_500_000))
  fixture.write(`file-history/${sessionB}/empty@v1`, '')
  execFileSync('mkdir', ['-p', join(second, 'projects', '-srv')])
  writeFileSync(join(second, 'projects', '-srv', `${sessionC}.jsonl`), recordLine(sessionC, '/srv'), { mode: 0o640 })
  await capture(archive, { roots: [fixture.home, second] })
  const old = join(fixture.folder, 'old')
  execFileSync('mkdir', ['-p', join(old, 'projects', '-home-mira-boat')])
  writeFileSync(join(old, logOf(sessionA)), recordLine(sessionA, '/home/mira/boat', 'from a backup'))
  await importBackup(archive, old, { as: fixture.home })
  return archive
}

test.each(['', 'archive'])(
  'a copy of an archive (in %j of a folder) into an empty one gives the same homes, files and generations',
  name =>
    withFixture(async fixture => {
      const archive = await richArchive(fixture)
      const path = copyOf(archive, fixture, name)
      const other = new Archive(join(fixture.folder, 'other'), { ops: quickOps })
      const report = await importBackup(other, path, { as: '/unused', known: homesOf(fixture) })
      expect(report).toMatchObject({ isArchive: true, skipped: [], added: archive.manifest.catalog.generations.size })
      expect(await factsOf(other)).toEqual(await factsOf(archive))
      const again = await importBackup(other, path, { as: '/unused', known: homesOf(fixture) })
      expect(again).toMatchObject({ added: 0, stored: 0 })
      const back = await importBackup(archive, path, { as: '/unused', known: homesOf(fixture) })
      expect(back, 'into the archive it came from').toMatchObject({ added: 0 })
    }),
)

test('a copy that tar packed and unpacked is the same archive', () =>
  withFixture(async fixture => {
    const archive = await richArchive(fixture)
    execFileSync('tar', ['czf', join(fixture.folder, 'out.tgz'), '-C', fixture.folder, 'clew/archive'])
    mkdirSync(join(fixture.folder, 'there'))
    execFileSync('tar', ['xf', join(fixture.folder, 'out.tgz'), '-C', join(fixture.folder, 'there')])
    const copy = new Archive(join(fixture.folder, 'there', 'clew', 'archive'), { ops: quickOps })
    expect(await factsOf(copy)).toEqual(await factsOf(archive))
  }))

test('a copy never takes the place of what an archive archived itself', () =>
  withFixture(async fixture => {
    const archive = await richArchive(fixture)
    const copy = copyOf(archive, fixture)
    const other = new Archive(join(fixture.folder, 'other'), { ops: quickOps })
    fixture.write(logOf(sessionA), recordLine(sessionA, '/home/mira/boat', 'only here'))
    await capture(other, { roots: [fixture.home] })
    const own = other.manifest.catalog.current(fixture.home, logOf(sessionA))
    await importBackup(other, copy, { as: '/unused', known: homesOf(fixture) })
    const all = other.manifest.catalog.of(fixture.home, logOf(sessionA))
    expect(all.map(({ origin }) => origin)).toEqual([undefined, 'copy', 'copy', 'copy', 'old'])
    expect(other.manifest.catalog.current(fixture.home, logOf(sessionA))?.id).toBe(own?.id)
  }))

test('damaged files of a copy are not taken in, and lost lines of its manifest are reported', () =>
  withFixture(async fixture => {
    const archive = await richArchive(fixture)
    const path = copyOf(archive, fixture)
    const pack = join(path, 'packs', readdirSync(join(path, 'packs')).at(-1) ?? '')
    const bytes = readFileSync(pack)
    bytes.fill(0, 20, 40)
    writeFileSync(pack, bytes)
    const other = new Archive(join(fixture.folder, 'other'), { ops: quickOps })
    const report = await importBackup(other, path, { as: '/unused', known: homesOf(fixture) })
    expect(report.skipped.length).toBeGreaterThan(0)
    expect(report.skipped.every(({ reason }) => reason === 'damaged')).toBe(true)
    expect(report.added + report.skipped.length).toBe(archive.manifest.catalog.generations.size)
    expect(report.problem).toBeUndefined()
    const segment = join(path, 'manifest', readdirSync(join(path, 'manifest')).at(-1) ?? '')
    writeFileSync(segment, readFileSync(segment, 'utf8').replace('"path":', '"way":'))
    const again = await importBackup(other, path, { as: '/unused', known: homesOf(fixture) })
    expect(again.problem).toContain('the manifest is damaged')
  }))

test('forgotten sessions do not come back with a copy', () =>
  withFixture(async fixture => {
    const archive = await richArchive(fixture)
    const path = copyOf(archive, fixture)
    await forget(archive, sessionB)
    const report = await importBackup(archive, path, { as: '/unused', known: homesOf(fixture) })
    expect(report).toMatchObject({ added: 0 })
    expect(report.skipped.map(({ reason }) => reason)).toEqual(['forgotten', 'forgotten'])
  }))
