import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { logBytes, recordLine, sessionA, sessionB, withFixture } from '../../../test/archive/fixture.ts'
import { capture } from '../capture/capture.ts'
import { hashOf } from '../format/lines.ts'
import { archivedHomes } from '../read/sessions.ts'
import { exportArchive, exportToFile, parseExportList } from './export.ts'
import { inChunks, readAll } from './tar-testing.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`
const line = (session: string, text?: string) => recordLine(session, '/home/mira/boat', text)

async function entriesOf(run: (write: (bytes: Uint8Array) => Promise<void>) => Promise<unknown>) {
  const parts: Uint8Array[] = []
  await run(async bytes => {
    parts.push(Uint8Array.from(bytes))
  })
  const { entries, error } = await readAll(inChunks(Buffer.concat(parts), 10_000))
  expect(error).toBeNull()
  return entries
}

test('current generations lie as in a home, earlier ones by their numbers, and the list reports all of them', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    fixture.write(logOf(sessionA), line(sessionA, 'one'))
    await capture(archive, { roots: [fixture.home] })
    fixture.write(logOf(sessionA), line(sessionA, 'two'))
    fixture.write('history.jsonl', '{"display":"hi"}\n')
    await capture(archive, { roots: [fixture.home] })
    const entries = await entriesOf(write => exportArchive(archive, write))
    expect(entries.map(({ path }) => path)).toEqual([
      'clew-export',
      'clew-export/manifest.json',
      'clew-export/home-0/history.jsonl',
      `clew-export/home-0/${logOf(sessionA)}`,
      `clew-export/generations/home-0/${logOf(sessionA)}/1`,
    ])
    const text = Buffer.from(entries[1]?.bytes ?? []).toString()
    expect(JSON.parse(text)).toMatchObject({ clew: 'export', format: 1, homes: [fixture.home] })
    const files = parseExportList(text)?.files ?? []
    for (const entry of entries.slice(2)) {
      const listed = files.find(file => `clew-export/${file.entry}` === entry.path)
      expect(listed).toMatchObject({ size: entry.size, mode: entry.mode, modifiedMs: entry.modifiedMs })
      expect(listed?.sha256).toBe(hashOf(entry.bytes))
    }
    expect(Buffer.from(entries[3]?.bytes ?? []).toString()).toBe(line(sessionA, 'two'))
    expect(Buffer.from(entries[4]?.bytes ?? []).toString()).toBe(line(sessionA, 'one'))
  }))

test('only chosen sessions are written where some are chosen', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    for (const session of [sessionA, sessionB]) fixture.write(logOf(session), line(session))
    await capture(archive, { roots: [fixture.home] })
    const sessions = (await archivedHomes(archive)).flatMap(home => home.sessions).filter(({ id }) => id === sessionB)
    const entries = await entriesOf(write => exportArchive(archive, write, { sessions }))
    expect(entries.map(({ path }) => path).slice(2)).toEqual([`clew-export/home-0/${logOf(sessionB)}`])
  }))

test('an export is written for the owner alone, and never over something', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    fixture.write(logOf(sessionA), line(sessionA))
    await capture(archive, { roots: [fixture.home] })
    const path = join(fixture.root, 'out.tar')
    expect(await exportToFile(archive, path)).toMatchObject({ files: 1, generations: 1, damaged: [] })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const before = readFileSync(path)
    await expect(exportToFile(archive, path)).rejects.toMatchObject({ code: 'EEXIST' })
    expect(readFileSync(path).equals(before)).toBe(true)
    await expect(exportToFile(archive, join(fixture.root, 'none', 'out.tar'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(readdirSync(fixture.root).sort()).toEqual(['.claude', 'clew', 'out.tar'])
  }))

test('what is damaged is left out and reported, the rest is written', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    fixture.write(logOf(sessionA), line(sessionA))
    fixture.write(logOf(sessionB), logBytes(5, 50_000))
    await capture(archive, { roots: [fixture.home] })
    const frame = archive.manifest.catalog.current(fixture.home, logOf(sessionA))?.frames[0] ?? ''
    const place = archive.manifest.catalog.frames.get(frame)
    const pack = join(archive.layout.packs, place?.pack ?? '')
    const bytes = readFileSync(pack)
    bytes.fill(0, (place?.at ?? 0) + 20, (place?.at ?? 0) + 30)
    writeFileSync(pack, bytes)
    rmSync(archive.layout.seen)
    const path = join(fixture.root, 'out.tar')
    const report = await exportToFile(archive, path)
    expect(report.damaged).toMatchObject([{ home: fixture.home, path: logOf(sessionA), number: 1 }])
    expect(report).toMatchObject({ files: 1, bytes: 50_000 })
    const { entries } = await readAll(inChunks(readFileSync(path), 9_999))
    expect(Buffer.from(entries.at(-1)?.bytes ?? []).equals(logBytes(5, 50_000))).toBe(true)
  }))

test('a generation that grows while it is exported is written as it was at the start', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    const bytes = logBytes(6, 400_000)
    fixture.write(logOf(sessionA), bytes)
    await capture(archive, { roots: [fixture.home] })
    let isDone = false
    const entries = await entriesOf(write =>
      exportArchive(archive, async part => {
        await write(part)
        if (isDone) return
        isDone = true
        for (let n = 0; n < 20; n++) {
          fixture.append(logOf(sessionA), logBytes(n, 30_000))
          await capture(fixture.archive(), { roots: [fixture.home] })
        }
      }),
    )
    expect(fixture.archive().manifest.catalog.current(fixture.home, logOf(sessionA))?.size).toBe(1_000_000)
    expect(Buffer.from(entries.at(-1)?.bytes ?? []).equals(bytes)).toBe(true)
  }))
