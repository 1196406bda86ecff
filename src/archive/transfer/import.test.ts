import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  archivedBytes,
  archivedPaths,
  everythingBelow,
  type Fixture,
  logBytes,
  recordLine,
  sessionA,
  sessionB,
  withFixture,
} from '../../../test/archive/fixture.ts'
import { capture } from '../capture/capture.ts'
import { forget } from '../maintain/forget.ts'
import type { Archive } from '../store/archive.ts'
import { importBackup } from './import.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`
const line = (session: string, text?: string) => recordLine(session, '/home/mira/boat', text)

function backup(fixture: Fixture, files: Record<string, string | Uint8Array>, name = 'old'): string {
  for (const [path, content] of Object.entries(files)) {
    const place = join(fixture.folder, name, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
  }
  return join(fixture.folder, name)
}

async function contentOf(archive: Archive, home: string, path: string): Promise<string[]> {
  const texts: string[] = []
  for (const { id } of archive.manifest.catalog.of(home, path))
    texts.push((await archivedBytes(archive, id)).toString())
  return texts
}

test('a folder gives its files with their times, modes and where they came from', () =>
  withFixture(async fixture => {
    const source = backup(fixture, {
      [`.claude/${logOf(sessionA)}`]: line(sessionA),
      [`.claude/todos/${sessionA}-agent-${sessionA}.json`]: '[]',
      '.claude/history.jsonl': '{"display":"hi"}\n',
      '.claude/settings.json': '{"env":{"KEY":"secret"}}',
      '.claude/projects/-home-mira-boat/build/notes.txt': 'not of a session',
    })
    chmodSync(join(source, '.claude', logOf(sessionA)), 0o640)
    utimesSync(join(source, '.claude', logOf(sessionA)), 1_600_000_000, 1_600_000_000)
    const archive = fixture.archive()
    const report = await importBackup(archive, source, { as: fixture.home })
    expect(report).toMatchObject({ origin: 'old', found: ['.claude'], files: 3, added: 3, known: 0, skipped: [] })
    expect(archivedPaths(archive)).toEqual(
      ['history.jsonl', logOf(sessionA), `todos/${sessionA}-agent-${sessionA}.json`].sort(),
    )
    expect(archive.manifest.catalog.current(fixture.home, logOf(sessionA))).toMatchObject({
      home: fixture.home,
      origin: 'old',
      number: 1,
      mode: 0o640,
      modifiedMs: 1_600_000_000_000,
      facts: { session: sessionA, cwd: '/home/mira/boat' },
    })
    expect(await contentOf(archive, fixture.home, logOf(sessionA))).toEqual([line(sessionA)])
  }))

test('importing twice changes nothing', () =>
  withFixture(async fixture => {
    const source = backup(fixture, { [logOf(sessionA)]: line(sessionA), [logOf(sessionB)]: '' })
    const archive = fixture.archive()
    await importBackup(archive, source, { as: fixture.home })
    const before = everythingBelow(archive.layout.folder)
    expect(await importBackup(archive, source, { as: fixture.home })).toMatchObject({ added: 0, known: 2, stored: 0 })
    expect(everythingBelow(archive.layout.folder)).toEqual(before)
  }))

test('what is archived already, or is the beginning of it, is known; anything else is a generation of its own', () =>
  withFixture(async fixture => {
    const bytes = logBytes(4, 700_000)
    fixture.write(logOf(sessionA), bytes)
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    const own = archive.manifest.catalog.current(fixture.home, logOf(sessionA))
    const take = (content: Uint8Array) =>
      importBackup(archive, backup(fixture, { [logOf(sessionA)]: content }), { as: fixture.home })
    for (const length of [700_000, 699_999, 250_000, 10, 0]) {
      expect(await take(bytes.subarray(0, length)), `${length} bytes`).toMatchObject({ added: 0, known: 1 })
    }
    const other = Buffer.concat([bytes.subarray(0, 250_000), Buffer.from('another end\n')])
    expect(await take(other)).toMatchObject({ added: 1, known: 0 })
    const longer = Buffer.concat([bytes, Buffer.from('more\n')])
    const report = await take(longer)
    expect(report).toMatchObject({ added: 1, known: 0, bytes: 700_005 })
    expect(report.stored, 'frames are shared').toBeLessThan(100_000)
    const all = archive.manifest.catalog.of(fixture.home, logOf(sessionA))
    expect(all.map(({ number, origin, size }) => [number, origin, size])).toEqual([
      [1, undefined, 700_000],
      [2, 'old', other.length],
      [3, 'old', 700_005],
    ])
    expect(archive.manifest.catalog.current(fixture.home, logOf(sessionA))?.id).toBe(own?.id)
    expect((await archivedBytes(archive, all[2]?.id ?? '')).equals(longer)).toBe(true)
  }))

test('a live file continues with what was imported of it, and a run after an import finds nothing new', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    await importBackup(archive, backup(fixture, { [logOf(sessionA)]: line(sessionA) }), { as: fixture.home })
    fixture.write(logOf(sessionA), line(sessionA) + line(sessionA, 'two'))
    await capture(archive, { roots: [fixture.home] })
    const all = archive.manifest.catalog.of(fixture.home, logOf(sessionA))
    expect(all.map(({ number, origin }) => [number, origin])).toEqual([[1, undefined]])
    expect(await importBackup(archive, join(fixture.folder, 'old'), { as: fixture.home })).toMatchObject({ known: 1 })
  }))

test('several homes in one backup follow each other, the same file once per content', () =>
  withFixture(async fixture => {
    const source = backup(fixture, {
      [`2024-01/.claude/${logOf(sessionA)}`]: line(sessionA),
      [`2024-02/.claude/${logOf(sessionA)}`]: line(sessionA) + line(sessionA, 'two'),
      [`2024-03/.claude/${logOf(sessionA)}`]: line(sessionA),
      'projects/code/data.jsonl': '{"not":"a session"}\n',
    })
    const archive = fixture.archive()
    const report = await importBackup(archive, source, { as: fixture.home })
    expect(report).toMatchObject({
      found: ['2024-01/.claude', '2024-02/.claude', '2024-03/.claude'],
      added: 2,
      known: 1,
    })
    expect(archive.manifest.catalog.of(fixture.home, logOf(sessionA)).map(({ origin }) => origin)).toEqual([
      'old/2024-01/.claude',
      'old/2024-02/.claude',
    ])
    expect(archivedPaths(archive)).toEqual([logOf(sessionA)])
  }))

test.each([
  ['a home without a name', { [logOf(sessionA)]: line(sessionA), 'todos/x.json': '[]' }, logOf(sessionA), 'old'],
  ['a projects folder', { [`-home-mira-boat/${sessionA}.jsonl`]: line(sessionA) }, logOf(sessionA), 'projects'],
  ['a projects folder of another name', { [`-home-mira-boat/${sessionA}.jsonl`]: '{}' }, logOf(sessionA), 'save'],
  ['a project folder', { [`${sessionA}.jsonl`]: line(sessionA) }, logOf(sessionA), '-home-mira-boat'],
  ['a prompt history', { 'history.jsonl': '{"display":"hi"}\n' }, 'history.jsonl', 'old'],
])('%s is recognised', (_, files, path, name) =>
  withFixture(async fixture => {
    const source = backup(fixture, files, name)
    await importBackup(fixture.archive(), source, { as: fixture.home })
    expect(archivedPaths(fixture.archive())).toContain(path)
  }),
)

test('forgotten and excluded sessions stay out, with what is next to them', () =>
  withFixture(async fixture => {
    const source = backup(fixture, {
      [`.claude/${logOf(sessionA)}`]: line(sessionA),
      [`.claude/todos/${sessionA}-agent-${sessionA}.json`]: '[]',
      [`.claude/projects/-home-mira-secret/${sessionB}.jsonl`]: recordLine(sessionB, '/home/mira/secret'),
    })
    const archive = fixture.archive()
    await forget(archive, sessionA)
    const report = await importBackup(archive, source, { as: fixture.home, exclude: ['/home/mira/secret'] })
    expect(report).toMatchObject({ added: 0, files: 3 })
    expect(report.skipped.map(({ reason }) => reason).sort()).toEqual(['excluded', 'forgotten', 'forgotten'])
    expect(archivedPaths(archive)).toEqual([])
  }))

test('a link in a folder is not followed', () =>
  withFixture(async fixture => {
    const source = backup(fixture, { [`.claude/${logOf(sessionA)}`]: line(sessionA), 'secret.jsonl': line(sessionB) })
    symlinkSync(join(source, 'secret.jsonl'), join(source, '.claude', logOf(sessionB)))
    const archive = fixture.archive()
    const report = await importBackup(archive, source, { as: fixture.home })
    expect(report.findings).toMatchObject([{ code: 'link-out-of-home' }])
    expect(archivedPaths(archive)).toEqual([logOf(sessionA)])
  }))

test('what is not a backup is refused in words', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    const tar = fixture.write('old.tar', 'whatever a tar has')
    await expect(importBackup(archive, tar, { as: fixture.home })).rejects.toThrow(/tar xf FILE -C FOLDER/)
    const former = backup(fixture, { 'clew-export/manifest.json': '{}', 'clew-export/generations/1': '' }, 'former')
    await expect(importBackup(archive, former, { as: fixture.home })).rejects.toThrow(/clew-export\/home-0 and so on/)
    await expect(importBackup(archive, join(fixture.folder, 'none'), { as: fixture.home })).rejects.toThrow(
      /nothing at/,
    )
    const empty = backup(fixture, { 'readme.txt': 'hi' })
    expect(await importBackup(archive, empty, { as: fixture.home })).toMatchObject({
      files: 0,
      findings: [{ code: 'no-sessions' }],
    })
  }))
