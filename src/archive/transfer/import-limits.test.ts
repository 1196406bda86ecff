// What an import refuses, what it asks for, and that a tar of a folder gives what the folder gives.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  archivedBytes,
  type Fixture,
  recordLine,
  sessionA,
  sessionB,
  withFixture,
} from '../../../test/archive/fixture.ts'
import { concatBytes } from '../../base/bytes.ts'
import { capture } from '../capture/capture.ts'
import { frameLine, generationLine, newGenerationId } from '../format/catalog.ts'
import { hashOf } from '../format/lines.ts'
import { appendSegment } from '../format/manifest.ts'
import { writePacks } from '../format/pack.ts'
import { Archive } from '../store/archive.ts'
import { exportListText, exportToFile } from './export.ts'
import { importBackup, UnknownHomesError } from './import.ts'
import { restoreFiles } from './restore.ts'
import { endMark, rawEntry, tarBytes } from './tar-testing.ts'

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

async function tarAt(fixture: Fixture, name: string, files: Record<string, string>): Promise<string> {
  const list = Object.entries(files).map(([path, text]) => ({
    path,
    mode: 0o600,
    modifiedMs: 1_600_000_000_000,
    bytes: Buffer.from(text),
  }))
  writeFileSync(join(fixture.root, name), await tarBytes(list))
  return join(fixture.root, name)
}

/** An export that someone made by hand: it may name any home and any path. */
function foreignExport(fixture: Fixture, home: string, paths: readonly string[]): Promise<string> {
  const text = line(sessionA)
  const files = paths.map((path, index) => ({
    ...{ home: 0, path, number: 1, size: text.length, sha256: hashOf(Buffer.from(text)) },
    ...{ modifiedMs: 1_600_000_000_000, mode: 0o600, entry: `home-0/${index}` },
  }))
  const entries = { 'clew-export/manifest.json': exportListText({ homes: [home], files }, 0) }
  return tarAt(fixture, 'foreign.tar', {
    ...entries,
    ...Object.fromEntries(files.map(file => [`clew-export/${file.entry}`, text])),
  })
}

/** Puts files into an archive past everything that looks at their names. */
async function plant(archive: Archive, home: string, paths: readonly string[]): Promise<void> {
  const raw = Buffer.from('planted')
  await archive.change('plant', async manifest => {
    const placed = await writePacks(archive.ops, archive.layout, packs => packs.add(hashOf(raw), raw))
    const lines = [...placed].map(([id, place]) => frameLine(id, place))
    for (const path of paths) {
      const facts = { size: raw.length, modifiedMs: 0, mode: 0o600, archivedMs: 0, closed: 0, frames: [hashOf(raw)] }
      lines.push(generationLine({ id: newGenerationId(), number: 1, home, path, ...facts }, 0, [hashOf(raw)]))
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

  test('do not come in with an export that names them', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      const tar = await foreignExport(fixture, fixture.home, [...active, logOf(sessionA)])
      const report = await importBackup(archive, tar, { as: fixture.home })
      expect(pathsOf(archive)).toEqual([logOf(sessionA)])
      expect(report.skipped.map(({ reason }) => reason)).toEqual(active.map(() => 'not-a-session'))
    }))

  test('are neither restored nor exported from an archive that has them', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      await plant(archive, fixture.home, [...active, logOf(sessionA)])
      for (const to of [undefined, join(fixture.root, 'to')]) {
        const report = await restoreFiles(archive, { ...(to !== undefined && { to }) })
        expect(report).toMatchObject({ restored: 1, failed: active.length })
        const back = report.files.filter(({ status }) => status === 'restored')
        expect(back.map(({ path }) => path)).toEqual([logOf(sessionA)])
      }
      const { leftOut, generations } = await exportToFile(archive, join(fixture.root, 'out.tar'))
      expect(leftOut.map(({ path }) => path).sort()).toEqual([...active].sort())
      expect(generations).toBe(1)
    }))

  test('are not reached by calling them a home', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      await plant(archive, fixture.at('commands'), [`${sessionA}/tool-results/deploy.md`])
      expect(await restoreFiles(archive, {})).toMatchObject({ restored: 0, failed: 1 })
    }))
})

describe('an export with a home that is none of this machine', () => {
  test('is refused, with the home’s name, and nothing of it is taken in', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      const tar = await foreignExport(fixture, '/home/victim/.claude', [logOf(sessionA)])
      const refused = await importBackup(archive, tar, { as: fixture.home }).catch(error => error)
      expect(refused).toBeInstanceOf(UnknownHomesError)
      expect(refused.homes).toEqual(['/home/victim/.claude'])
      expect(pathsOf(fixture.archive())).toEqual([])
    }))

  test('comes in as what it is mapped to, and next time without asking', () =>
    withFixture(async fixture => {
      const archive = fixture.archive()
      const tar = await foreignExport(fixture, '/home/victim/.claude', [logOf(sessionA)])
      const homeMap = new Map([['/home/victim/.claude', fixture.home]])
      expect(await importBackup(archive, tar, { as: fixture.home, homeMap })).toMatchObject({
        found: [fixture.home],
        added: 1,
      })
      expect([...archive.manifest.catalog.homes()]).toEqual([fixture.home])
      const own = await foreignExport(fixture, fixture.home, [logOf(sessionA)])
      expect(await importBackup(archive, own, { as: '/else' })).toMatchObject({ known: 1 })
    }))

  test('is known where it is one of the homes that are read', () =>
    withFixture(async fixture => {
      const tar = await foreignExport(fixture, fixture.home, [logOf(sessionA)])
      expect(await importBackup(fixture.archive(), tar, { as: '/else', known: [fixture.home] })).toMatchObject({
        added: 1,
      })
    }))
})

/** Names that are odd, and legal where this runs. */
const odd = ['a:b', 'CON', 'nul.txt', 'trail.', 'blank ', 'back\\slash', 'tab\there', 'x'.repeat(255), 'ü', '-rf', '*']

describe('a tar', () => {
  test.each(['.claude', 'backup', '.'])('of a folder (%s) gives what the folder gives', place =>
    withFixture(async fixture => {
      const files: Record<string, string> = {
        [logOf(sessionA)]: line(sessionA),
        'projects/-home-mira-boat/notes.jsonl': line(sessionB),
        'projects/-home-mira-boat/notes.cast': 'cast',
        'projects/-home-mira-boat/notes.meta.json': '{}',
        'projects/-home-mira-boat/Makefile': 'all:',
        'projects/-home-mira-boat/memory/MEMORY.md': 'mine',
        'history.jsonl': '{"display":"hi"}\n',
        'shell-snapshots/one.sh': 'export KEY=secret',
        'settings.json': '{}',
        'plans/fog.md': 'fog',
      }
      for (const name of odd) files[`projects/-home-mira-boat/${sessionA}/tool-results/${name}`] = `output ${name}`
      for (const name of odd) files[`todos/${name}`] = '[]'
      const source = join(fixture.root, 'old')
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(source, place, path)), { recursive: true })
        writeFileSync(join(source, place, path), text)
      }
      execFileSync('tar', ['cf', join(fixture.root, 'old.tar'), '-C', source, '.'])
      const results = []
      for (const backup of [source, join(fixture.root, 'old.tar')]) {
        const archive = new Archive(join(fixture.root, `archive-${results.length}`))
        const { added, skipped, findings } = await importBackup(archive, backup, { as: fixture.home })
        const content: Record<string, string> = {}
        for (const { id, path } of archive.manifest.catalog.generations.values())
          content[path] = (await archivedBytes(archive, id)).toString()
        results.push({ added, skipped, findings, content })
      }
      expect(results[1]).toEqual(results[0])
      expect(results[0]?.skipped).toEqual([])
      expect(Object.keys(results[0]?.content ?? {})).toContain(`projects/-home-mira-boat/${sessionA}/tool-results/a:b`)
    }),
  )

  test('of one project gives what the folder gives', () =>
    withFixture(async fixture => {
      const source = join(fixture.root, 'boat')
      const names = [
        'notes.jsonl',
        'notes.cast',
        'notes.meta.json',
        'notes.jsonl.backup',
        'Makefile',
        `${sessionA}.jsonl`,
      ]
      mkdirSync(join(source, 'notes', 'tool-results'), { recursive: true })
      for (const name of names) writeFileSync(join(source, name), line(sessionA))
      writeFileSync(join(source, 'notes', 'tool-results', 'x.txt'), 'x')
      execFileSync('tar', ['cf', join(fixture.root, 'boat.tar'), '-C', source, '.'])
      const found = []
      for (const backup of [source, join(fixture.root, 'boat.tar')]) {
        const archive = new Archive(join(fixture.root, `archive-${found.length}`))
        await importBackup(archive, backup, { as: fixture.home })
        found.push(pathsOf(archive))
      }
      expect(found[1]).toEqual(found[0])
      expect(found[0]).toContain('projects/boat/notes.cast')
    }))

  test('with names that no file can have reports each of them', () =>
    withFixture(async fixture => {
      const long = `.claude/todos/${'x'.repeat(300)}`
      const entries = { [`.claude/${logOf(sessionA)}`]: line(sessionA), [long]: '[]' }
      const report = await importBackup(fixture.archive(), await tarAt(fixture, 'long.tar', entries), {
        as: fixture.home,
      })
      expect(report).toMatchObject({ added: 1, skipped: [{ path: long, reason: 'unsafe-name' }] })
    }))
})

describe('a backup that unpacks to very much more than it is', () => {
  const zeros = 80 * 1024 * 1024
  const log = `.claude/${logOf(sessionA)}`

  test('as a packed tar is not unpacked unless someone says so', () =>
    withFixture(async fixture => {
      const tar = gzipSync(concatBytes([rawEntry('0', log, Buffer.alloc(zeros)), endMark]))
      writeFileSync(join(fixture.root, 'bomb.tgz'), tar)
      const archive = fixture.archive()
      const bomb = join(fixture.root, 'bomb.tgz')
      await expect(importBackup(archive, bomb, { as: fixture.home })).rejects.toMatchObject({ code: 'expands' })
      expect(pathsOf(fixture.archive())).toEqual([])
      expect(await importBackup(archive, bomb, { as: fixture.home, mayExpand: true })).toMatchObject({
        added: 1,
        bytes: zeros,
      })
    }))

  test('by files that no one wants is not read to its end either', () =>
    withFixture(async fixture => {
      const tar = gzipSync(
        concatBytes([rawEntry('0', 'film.mp4', Buffer.alloc(zeros)), rawEntry('0', log, line(sessionA)), endMark]),
      )
      writeFileSync(join(fixture.root, 'bomb.tgz'), tar)
      const done = importBackup(fixture.archive(), join(fixture.root, 'bomb.tgz'), { as: fixture.home })
      await expect(done).rejects.toMatchObject({ code: 'expands' })
    }))

  test('by second names of one file is not taken in', () =>
    withFixture(async fixture => {
      const first = rawEntry('0', log, Buffer.alloc(1_000_000, 'x'))
      const link = (index: number) =>
        rawEntry('1', `.claude/todos/${index}.json`, '', block => block.set(Buffer.from(log), 157))
      const tar = concatBytes([first, ...Array.from({ length: 300 }, (_, index) => link(index)), endMark])
      writeFileSync(join(fixture.root, 'links.tar'), tar)
      const done = importBackup(fixture.archive(), join(fixture.root, 'links.tar'), { as: fixture.home })
      await expect(done).rejects.toMatchObject({ code: 'expands' })
    }))

  test('by holes in a file is not taken in', () =>
    withFixture(async fixture => {
      const path = join(fixture.root, 'old', log)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '')
      truncateSync(path, 4 * 1024 * 1024 * 1024)
      const done = importBackup(fixture.archive(), join(fixture.root, 'old'), { as: fixture.home })
      await expect(done).rejects.toMatchObject({ code: 'expands' })
    }))

  test('is no matter while it is small, or as logs are', () =>
    withFixture(async fixture => {
      const text = Array.from({ length: 20_000 }, (_, index) => line(sessionA, `prompt ${index}`)).join('')
      const tar = gzipSync(
        concatBytes([
          rawEntry('0', log, text),
          rawEntry('0', '.claude/todos/1.json', Buffer.alloc(10_000_000)),
          endMark,
        ]),
      )
      writeFileSync(join(fixture.root, 'fine.tgz'), tar)
      expect(await importBackup(fixture.archive(), join(fixture.root, 'fine.tgz'), { as: fixture.home })).toMatchObject(
        { added: 2 },
      )
    }))
})

test('a link in the place of a folder of the backup leads nowhere', () =>
  withFixture(async fixture => {
    const outside = join(fixture.root, 'outside')
    mkdirSync(outside)
    const source = join(fixture.root, 'old', '.claude', 'projects')
    mkdirSync(source, { recursive: true })
    writeFileSync(join(outside, `${sessionB}.jsonl`), line(sessionB))
    symlinkSync(outside, join(source, '-p'))
    const archive = fixture.archive()
    const { findings } = await importBackup(archive, join(fixture.root, 'old'), { as: fixture.home })
    expect(findings.map(({ code }) => code)).toEqual(['link-out-of-home'])
    expect(readFileSync(join(outside, `${sessionB}.jsonl`), 'utf8')).toBe(line(sessionB))
    rmSync(source, { recursive: true })
    expect(pathsOf(archive)).toEqual([])
  }))
