// What goes out of one archive comes into another as it was, and plain tools can read it on the way.

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { forget } from '../../src/archive/maintain/forget.ts'
import { archivedHomes } from '../../src/archive/read/sessions.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { exportToFile } from '../../src/archive/transfer/export.ts'
import { importBackup } from '../../src/archive/transfer/import.ts'
import {
  archivedBytes,
  everythingBelow,
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
const homesOf = (fixture: Fixture) => [fixture.home, join(fixture.root, 'second', '.claude')]

/** Two homes, several generations, an import, odd names. */
async function richArchive(fixture: Fixture): Promise<Archive> {
  const archive = fixture.archive()
  const second = join(fixture.root, 'second', '.claude')
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
  const old = join(fixture.root, 'old')
  execFileSync('mkdir', ['-p', join(old, 'projects', '-home-mira-boat')])
  writeFileSync(join(old, logOf(sessionA)), recordLine(sessionA, '/home/mira/boat', 'from a backup'))
  await importBackup(archive, old, { as: fixture.home })
  return archive
}

test.each(['out.tar', 'out.tar.gz'])(
  'an export (%s) into an empty archive gives the same homes, files and generations',
  name =>
    withFixture(async fixture => {
      const archive = await richArchive(fixture)
      const path = join(fixture.root, name)
      const { damaged } = await exportToFile(archive, path)
      expect(damaged).toEqual([])
      const other = new Archive(join(fixture.root, 'other'), { ops: quickOps })
      const report = await importBackup(other, path, { as: '/unused', known: homesOf(fixture) })
      expect(report).toMatchObject({ isExport: true, skipped: [], added: archive.manifest.catalog.generations.size })
      expect(await factsOf(other)).toEqual(await factsOf(archive))
      const again = await importBackup(other, path, { as: '/unused', known: homesOf(fixture) })
      expect(again).toMatchObject({ added: 0, stored: 0 })
      const back = await importBackup(archive, path, { as: '/unused', known: homesOf(fixture) })
      expect(back, 'into the archive it came from').toMatchObject({ added: 0 })
    }),
)

test('plain tar unpacks an export into files that can be used, and the folder is an export too', () =>
  withFixture(async fixture => {
    const archive = await richArchive(fixture)
    await exportToFile(archive, join(fixture.root, 'out.tar'))
    execFileSync('tar', ['xf', join(fixture.root, 'out.tar'), '-C', fixture.root])
    const unpacked = join(fixture.root, 'clew-export')
    for (const path of everythingBelow(fixture.home)) {
      if (!/\.\w+$/.test(path)) continue
      expect(readFileSync(join(unpacked, 'home-0', path)).equals(fixture.read(path)), path).toBe(true)
    }
    const earlier = join(unpacked, 'generations', 'home-0', logOf(sessionA))
    expect(readFileSync(join(earlier, '1'), 'utf8')).toContain('rewrite 1')
    expect(everythingBelow(earlier)).toEqual(['1', '2', '4'])
    for (const folder of [unpacked, fixture.root]) {
      const other = new Archive(join(fixture.root, `other-${folder.length}`), { ops: quickOps })
      await importBackup(other, folder, { as: '/unused', known: homesOf(fixture) })
      expect(await factsOf(other)).toEqual(await factsOf(archive))
    }
    execFileSync('tar', ['czf', join(fixture.root, 'again.tgz'), '-C', fixture.root, 'clew-export'])
    const other = new Archive(join(fixture.root, 'other'), { ops: quickOps })
    const report = await importBackup(other, join(fixture.root, 'again.tgz'), {
      as: '/unused',
      known: homesOf(fixture),
    })
    expect(report.skipped).toEqual([])
    expect(await factsOf(other)).toEqual(await factsOf(archive))
  }))

test('an export never takes the place of what an archive archived itself', () =>
  withFixture(async fixture => {
    const archive = await richArchive(fixture)
    await exportToFile(archive, join(fixture.root, 'out.tar'))
    const other = new Archive(join(fixture.root, 'other'), { ops: quickOps })
    fixture.write(logOf(sessionA), recordLine(sessionA, '/home/mira/boat', 'only here'))
    await capture(other, { roots: [fixture.home] })
    const own = other.manifest.catalog.current(fixture.home, logOf(sessionA))
    await importBackup(other, join(fixture.root, 'out.tar'), { as: '/unused', known: homesOf(fixture) })
    const all = other.manifest.catalog.of(fixture.home, logOf(sessionA))
    expect(all.map(({ origin }) => origin)).toEqual([undefined, 'out.tar', 'out.tar', 'out.tar', 'old'])
    expect(other.manifest.catalog.current(fixture.home, logOf(sessionA))?.id).toBe(own?.id)
  }))

test('an export whose bytes were changed is not taken in where they were', () =>
  withFixture(async fixture => {
    const archive = await richArchive(fixture)
    const path = join(fixture.root, 'out.tar')
    await exportToFile(archive, path)
    const bytes = readFileSync(path)
    bytes.write('REWRITE', bytes.indexOf('rewrite 2'))
    writeFileSync(path, bytes)
    const other = new Archive(join(fixture.root, 'other'), { ops: quickOps })
    const report = await importBackup(other, path, { as: '/unused', known: homesOf(fixture) })
    expect(report.skipped).toEqual([{ path: `generations/home-0/${logOf(sessionA)}/2`, reason: 'damaged' }])
    expect(report.added).toBe(archive.manifest.catalog.generations.size - 1)
  }))

test('forgotten sessions do not come back with an export, and single sessions can be handed on', () =>
  withFixture(async fixture => {
    const archive = await richArchive(fixture)
    const sessions = (await archivedHomes(archive)).flatMap(home => home.sessions).filter(({ id }) => id === sessionB)
    await exportToFile(archive, join(fixture.root, 'one.tar'), { sessions })
    await exportToFile(archive, join(fixture.root, 'all.tar'))
    await forget(archive, sessionB)
    expect(
      await importBackup(archive, join(fixture.root, 'one.tar'), { as: '/unused', known: homesOf(fixture) }),
    ).toMatchObject({
      added: 0,
      files: 2,
    })
    const other = new Archive(join(fixture.root, 'other'), { ops: quickOps })
    await importBackup(other, join(fixture.root, 'one.tar'), { as: '/unused', known: homesOf(fixture) })
    expect((await archivedHomes(other)).flatMap(home => home.sessions.map(({ id }) => id))).toEqual([sessionB])
    rmSync(fixture.at(logOf(sessionB)))
    const archived = other.manifest.catalog.current(fixture.home, logOf(sessionB))
    expect((await archivedBytes(other, archived?.id ?? '')).equals(logBytes(1, 1_500_000))).toBe(true)
  }))
