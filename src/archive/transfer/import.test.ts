import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  archivedBytes,
  archivedPaths,
  everythingBelow,
  type Fixture,
  logBytes,
  quickOps,
  recordLine,
  sessionA,
  sessionB,
  withFixture,
} from '../../../test/archive/fixture.ts'
import { concatBytes } from '../../base/bytes.ts'
import { capture } from '../capture/capture.ts'
import { hashOf } from '../format/lines.ts'
import { forget } from '../maintain/forget.ts'
import type { Archive } from '../store/archive.ts'
import { exportListText } from './export.ts'
import { importBackup } from './import.ts'
import { endMark, rawEntry, tarBytes } from './tar-testing.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`
const line = (session: string, text?: string) => recordLine(session, '/home/mira/boat', text)

function backup(fixture: Fixture, files: Record<string, string | Uint8Array>, name = 'old'): string {
  for (const [path, content] of Object.entries(files)) {
    const place = join(fixture.root, name, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
  }
  return join(fixture.root, name)
}

async function tarOf(fixture: Fixture, files: Record<string, string>, name = 'old.tar'): Promise<string> {
  const list = Object.entries(files).map(([path, text]) => ({ path, mode: 0o640, modifiedMs: 1_600_000_000_500, text }))
  const bytes = await tarBytes(list.map(({ text, ...file }) => ({ ...file, bytes: Buffer.from(text) })))
  const place = join(fixture.root, name)
  writeFileSync(place, /gz$/.test(name) ? gzipSync(bytes) : bytes)
  return place
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

test.each(['old.tar', 'old.tar.gz', 'old.tgz'])('a tar (%s) gives the same, and leaves nothing unpacked behind', name =>
  withFixture(async fixture => {
    const files = { [`home/mira/.claude/${logOf(sessionA)}`]: line(sessionA), 'home/mira/letter.txt': 'dear' }
    const archive = fixture.archive()
    const report = await importBackup(archive, await tarOf(fixture, files, name), { as: fixture.home })
    expect(report).toMatchObject({ origin: name, found: ['home/mira/.claude'], added: 1, skipped: [] })
    const [archived] = archive.manifest.catalog.of(fixture.home, logOf(sessionA))
    expect(archived).toMatchObject({ mode: 0o640, modifiedMs: 1_600_000_000_500, origin: name })
    expect(await contentOf(archive, fixture.home, logOf(sessionA))).toEqual([line(sessionA)])
    expect(readdirSync(archive.layout.folder).sort()).toEqual(['README.txt', 'manifest', 'packs'])
  }),
)

test('a tar that the system’s own tar made is read, hard links as the files they are', () =>
  withFixture(async fixture => {
    backup(fixture, {
      [`.claude/${logOf(sessionA)}`]: line(sessionA),
      [`.claude/file-history/${sessionA}/a@v1`]: 'text',
    })
    const history = join(fixture.root, 'old/.claude/file-history')
    mkdirSync(join(history, sessionB))
    execFileSync('ln', [join(history, sessionA, 'a@v1'), join(history, sessionB, 'a@v1')])
    execFileSync('tar', ['czf', join(fixture.root, 'b.tar.gz'), '-C', join(fixture.root, 'old'), '.'])
    const archive = fixture.archive()
    expect(await importBackup(archive, join(fixture.root, 'b.tar.gz'), { as: fixture.home })).toMatchObject({
      added: 3,
    })
    for (const session of [sessionA, sessionB]) {
      expect(await contentOf(archive, fixture.home, `file-history/${session}/a@v1`)).toEqual(['text'])
    }
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
    expect(await importBackup(archive, join(fixture.root, 'old'), { as: fixture.home })).toMatchObject({ known: 1 })
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
])('%s is recognised, as a folder and as a tar', (_, files, path, name) =>
  withFixture(async fixture => {
    const source = backup(fixture, files, name)
    await importBackup(fixture.archive(), source, { as: fixture.home })
    expect(archivedPaths(fixture.archive())).toContain(path)
    rmSync(fixture.folder, { recursive: true })
    execFileSync('tar', ['cf', join(fixture.root, `${name}.tar`), '-C', source, '.'])
    await importBackup(fixture.archive(), join(fixture.root, `${name}.tar`), { as: fixture.home })
    const isNamed = name !== 'save' && name !== 'projects'
    expect(archivedPaths(fixture.archive()), isNamed ? 'named by the tar' : 'named by the folder').toContain(path)
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

test('hostile names, links and devices in a tar are reported and nothing is written elsewhere', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    mkdirSync(archive.layout.folder, { recursive: true, mode: 0o700 })
    const link = (name: string, target: string) => rawEntry('2', name, '', block => block.set(Buffer.from(target), 157))
    const bytes = concatBytes([
      rawEntry('0', `.claude/${logOf(sessionA)}`, line(sessionA)),
      rawEntry('0', '../../evil.jsonl', 'x'),
      rawEntry('0', '/tmp/evil.jsonl', 'x'),
      rawEntry('0', '.claude/projects/../../../evil.jsonl', 'x'),
      link('.claude/projects/out', fixture.root),
      rawEntry('0', '.claude/projects/out/evil.jsonl', line(sessionB)),
      link(`.claude/projects/-home-mira-boat/${sessionB}.jsonl`, '/etc/passwd'),
      rawEntry('3', '.claude/projects/-home-mira-boat/device.jsonl'),
      rawEntry('1', '.claude/projects/-home-mira-boat/hard.jsonl', '', block =>
        block.set(Buffer.from('/etc/hosts'), 157),
      ),
      endMark,
    ])
    writeFileSync(join(fixture.root, 'evil.tar'), bytes)
    const before = everythingBelow(fixture.root).filter(path => !path.startsWith('clew'))
    const report = await importBackup(archive, join(fixture.root, 'evil.tar'), { as: fixture.home })
    expect(report.skipped.map(({ path, reason }) => [path, reason])).toEqual([
      ['../../evil.jsonl', 'unsafe-name'],
      ['/tmp/evil.jsonl', 'unsafe-name'],
      ['.claude/projects/../../../evil.jsonl', 'unsafe-name'],
      ['.claude/projects/out', 'link'],
      [`.claude/projects/-home-mira-boat/${sessionB}.jsonl`, 'link'],
      ['.claude/projects/-home-mira-boat/device.jsonl', 'special'],
      ['.claude/projects/-home-mira-boat/hard.jsonl', 'link'],
    ])
    expect(everythingBelow(fixture.root).filter(path => !path.startsWith('clew'))).toEqual(before)
    expect(existsSync('/tmp/evil.jsonl')).toBe(false)
    // The link was not made, so what is behind its name is a folder of the backup.
    expect(archivedPaths(archive)).toEqual([logOf(sessionA), 'projects/out/evil.jsonl'])
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

test('a tar that is cut short gives what came before the cut', () =>
  withFixture(async fixture => {
    const whole = await tarOf(fixture, {
      [`.claude/${logOf(sessionA)}`]: line(sessionA),
      [`.claude/${logOf(sessionB)}`]: 'x'.repeat(5000),
    })
    execFileSync('truncate', ['-s', '5000', whole])
    const archive = fixture.archive()
    const report = await importBackup(archive, whole, { as: fixture.home })
    expect(report.problem).toMatch(/cut short/)
    expect(report.skipped).toEqual([{ path: `.claude/${logOf(sessionB)}`, reason: 'cut' }])
    expect(archivedPaths(archive)).toEqual([logOf(sessionA)])
  }))

test('what is not a backup is refused in words', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    const text = fixture.write('notes.txt', 'nothing but text')
    await expect(importBackup(archive, text, { as: fixture.home })).rejects.toThrow(/not a tar|too short/)
    await expect(importBackup(archive, join(fixture.root, 'none'), { as: fixture.home })).rejects.toThrow(/nothing at/)
    const empty = backup(fixture, { 'readme.txt': 'hi' })
    expect(await importBackup(archive, empty, { as: fixture.home })).toMatchObject({
      files: 0,
      findings: [{ code: 'no-sessions' }],
    })
  }))

test('after an error nothing is left unpacked, and what a killed import left is removed by the next one', () =>
  withFixture(async fixture => {
    const tar = await tarOf(fixture, { [`.claude/${logOf(sessionA)}`]: line(sessionA) })
    let writes = 0
    const ops = {
      ...quickOps,
      write(file: number, bytes: Uint8Array) {
        // The readme and the lock come first.
        if (++writes === 4) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
        quickOps.write(file, bytes)
      },
    }
    const failing = fixture.archive({ ops })
    await expect(importBackup(failing, tar, { as: fixture.home })).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(writes).toBeGreaterThanOrEqual(4)
    const names = () => readdirSync(fixture.folder).filter(name => name.startsWith('unpacked'))
    expect(names()).toEqual([])
    mkdirSync(join(fixture.folder, 'unpacked.tmp-1-0123abcd', 'deep'), { recursive: true })
    writeFileSync(join(fixture.folder, 'unpacked.tmp-1-0123abcd', 'deep', 'secret'), 'x')
    await importBackup(fixture.archive(), tar, { as: fixture.home })
    expect(names()).toEqual([])
    expect(archivedPaths(fixture.archive())).toEqual([logOf(sessionA)])
  }))

test('an export that names files which are no part of any session gives only the others', () =>
  withFixture(async fixture => {
    const names = [logOf(sessionA), '.bashrc', '.config/autostart/agent-1.desktop', `${sessionA}.desktop`]
    const text = line(sessionA)
    const files = names.map((path, index) => ({
      ...{ home: 0, path, number: 1, size: text.length, sha256: hashOf(Buffer.from(text)) },
      ...{ modifiedMs: 1_600_000_000_000, mode: 0o755, entry: `home-0/${index}` },
    }))
    const entries: Record<string, string> = {
      'clew-export/manifest.json': exportListText({ homes: [fixture.root], files }, 0),
    }
    for (const { entry } of files) entries[`clew-export/${entry}`] = text
    const archive = fixture.archive()
    const report = await importBackup(archive, await tarOf(fixture, entries), { as: fixture.root })
    expect(report).toMatchObject({ isExport: true, added: 1 })
    expect(report.skipped.map(({ reason }) => reason)).toEqual(names.slice(1).map(() => 'not-a-session'))
    expect(archivedPaths(archive)).toEqual([logOf(sessionA)])
  }))
