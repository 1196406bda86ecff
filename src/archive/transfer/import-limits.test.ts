// What an import refuses, and what it asks for.

import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Fixture, quickOps, recordLine, sessionA, sessionB, withFixture } from '../../../test/archive/fixture.ts'
import { capture } from '../capture/capture.ts'
import { frameLine, generationLine, newGenerationId } from '../format/catalog.ts'
import { hashOf } from '../format/lines.ts'
import { appendSegment } from '../format/manifest.ts'
import { writePacks } from '../format/pack.ts'
import { Archive } from '../store/archive.ts'
import { importBackup, UnknownHomesError } from './import.ts'
import { restoreFiles } from './restore.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`
const line = (session: string, text?: string) => recordLine(session, '/home/mira/boat', text)

/** What must neither come in nor be written, whoever names it. */
const active = [
  'settings.json',
  '.credentials.json',
  'CLAUDE.md',
  'commands/deploy.md',
  'hooks/pre.sh',
  'projects/-home-mira-boat/memory/MEMORY.md',
  `commands/${sessionA}/deploy.md`,
  'projects/app/.claude/settings.json',
]

/** An archive that someone made by hand: it may name any home and any path. */
async function foreignArchive(fixture: Fixture, home: string, paths: readonly string[]): Promise<string> {
  const folder = join(fixture.folder, 'foreign')
  rmSync(folder, { recursive: true, force: true })
  await plant(new Archive(folder, { ops: quickOps }), home, paths)
  return folder
}

/** Puts files into an archive past everything that looks at their names. */
async function plant(
  archive: Archive,
  home: string,
  paths: readonly string[],
  raw = Buffer.from(line(sessionA)),
  times = 1,
): Promise<void> {
  await archive.change('plant', async manifest => {
    const placed = await writePacks(archive.ops, archive.layout, packs => packs.add(hashOf(raw), raw))
    const lines = [...placed].map(([id, place]) => frameLine(id, place))
    for (const path of paths) {
      const frames = Array.from({ length: times }, () => hashOf(raw))
      const facts = { size: times * raw.length, modifiedMs: 0, mode: 0o600, archivedMs: 0, closed: 0, frames }
      lines.push(generationLine({ id: newGenerationId(), number: 1, home, path, ...facts }, 0, frames))
    }
    appendSegment(archive.ops, archive.layout, manifest, lines)
  })
  archive.reload()
}

const pathsOf = (archive: Archive) => [...archive.manifest.catalog.generations.values()].map(({ path }) => path).sort()

describe('settings, memory, commands, hooks and credentials', () => {
  test('are not archived, even where someone names them', () =>
    withFixture(async fixture => {
      for (const path of [...active, logOf(sessionA)]) fixture.write(path, line(sessionA))
      const archive = fixture.archive()
      const roots = [fixture.home, ...active.map(path => fixture.at(path))]
      const { findings } = await capture(archive, { roots })
      expect(pathsOf(archive)).toEqual([logOf(sessionA)])
      expect(findings.filter(({ code }) => code === 'not-a-session').map(({ file }) => file)).toContain(
        fixture.at('settings.json'),
      )
    }))

  test('do not come in with an archive that names them', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      const other = await foreignArchive(fixture, fixture.home, [...active, logOf(sessionA)])
      const report = await importBackup(archive, other, { as: fixture.home })
      expect(pathsOf(archive)).toEqual([logOf(sessionA)])
      expect(report.skipped.map(({ reason }) => reason)).toEqual(active.map(() => 'not-a-session'))
    }))

  test('are not restored from an archive that has them', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      await plant(archive, fixture.home, [...active, logOf(sessionA)])
      for (const to of [undefined, join(fixture.folder, 'to')]) {
        const report = await restoreFiles(archive, { ...(to !== undefined && { to }) })
        expect(report).toMatchObject({ restored: 1, failed: active.length })
        const back = report.files.filter(({ status }) => status === 'restored')
        expect(back.map(({ path }) => path)).toEqual([logOf(sessionA)])
      }
    }))

  test('are not reached by calling them a home', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      await plant(archive, fixture.at('commands'), [`${sessionA}/tool-results/deploy.md`])
      expect(await restoreFiles(archive, {})).toMatchObject({ restored: 0, failed: 1 })
    }))
})

describe('an archive with a home that is none of this machine', () => {
  test('is refused, with the home’s name, and nothing of it is taken in', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      const other = await foreignArchive(fixture, '/home/victim/.claude', [logOf(sessionA)])
      const refused = await importBackup(archive, other, { as: fixture.home }).catch(error => error)
      expect(refused).toBeInstanceOf(UnknownHomesError)
      expect(refused.homes).toEqual(['/home/victim/.claude'])
      expect(pathsOf(fixture.archive())).toEqual([])
    }))

  test('comes in as what it is mapped to, and next time without asking', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      const other = await foreignArchive(fixture, '/home/victim/.claude', [logOf(sessionA)])
      const homeMap = new Map([['/home/victim/.claude', fixture.home]])
      expect(await importBackup(archive, other, { as: fixture.home, homeMap })).toMatchObject({
        found: [fixture.home],
        added: 1,
      })
      expect([...archive.manifest.catalog.homes()]).toEqual([fixture.home])
      const own = await foreignArchive(fixture, fixture.home, [logOf(sessionA)])
      expect(await importBackup(archive, own, { as: '/else' })).toMatchObject({ known: 1 })
    }))

  test('is known where it is one of the homes that are read', () =>
    withFixture(async fixture => {
      const other = await foreignArchive(fixture, fixture.home, [logOf(sessionA)])
      expect(await importBackup(fixture.archive(), other, { as: '/else', known: [fixture.home] })).toMatchObject({
        added: 1,
      })
    }))
})

describe('a backup that is very much more than it takes', () => {
  const log = `.claude/${logOf(sessionA)}`

  test('by one frame that a manifest names very often is not taken in unless someone says so', () =>
    withFixture(async fixture => {
      const home = fixture.home
      const folder = join(fixture.folder, 'foreign')
      const frame = Buffer.alloc(1024 * 1024)
      await plant(new Archive(folder, { ops: quickOps }), home, [logOf(sessionA)], frame, 80)
      const archive = fixture.archive()
      await expect(importBackup(archive, folder, { as: home })).rejects.toMatchObject({ code: 'expands' })
      expect(pathsOf(fixture.archive())).toEqual([])
      expect(await importBackup(archive, folder, { as: home, mayExpand: true })).toMatchObject({
        added: 1,
        bytes: 80 * frame.length,
      })
    }))

  test('by holes in a file is not taken in', () =>
    withFixture(async fixture => {
      const path = join(fixture.folder, 'old', log)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '')
      truncateSync(path, 4 * 1024 * 1024 * 1024)
      const done = importBackup(fixture.archive(), join(fixture.folder, 'old'), { as: fixture.home })
      await expect(done).rejects.toMatchObject({ code: 'expands' })
    }))
})

test('a link in the place of a folder of the backup leads nowhere', () =>
  withFixture(async fixture => {
    const outside = join(fixture.folder, 'outside')
    mkdirSync(outside)
    const source = join(fixture.folder, 'old', '.claude', 'projects')
    mkdirSync(source, { recursive: true })
    writeFileSync(join(outside, `${sessionB}.jsonl`), line(sessionB))
    symlinkSync(outside, join(source, '-p'))
    const archive = fixture.archive()
    const { findings } = await importBackup(archive, join(fixture.folder, 'old'), { as: fixture.home })
    expect(findings.map(({ code }) => code)).toEqual(['link-out-of-home'])
    expect(readFileSync(join(outside, `${sessionB}.jsonl`), 'utf8')).toBe(line(sessionB))
    rmSync(source, { recursive: true })
    expect(pathsOf(archive)).toEqual([])
  }))
