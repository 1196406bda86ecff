import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  archivedBytes,
  archivedPaths,
  type Fixture,
  logBytes,
  recordLine,
  sessionA,
  sessionB,
  withFixture,
} from '../../../test/archive/fixture.ts'
import { unpackAll } from '../../../test/archive/unpack-all.ts'
import { discover } from '../../disk/discover/discover.ts'
import type { Finding } from '../../model/finding.ts'
import { capture } from '../capture/capture.ts'
import type { Archive } from '../store/archive.ts'
import { forget, planForget, remember } from './forget.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`
const line = (session: string, text?: string) => recordLine(session, '/home/mira/boat', text)

/** All content of the archive's folder as one text, packs decompressed. */
function everyText(archive: Archive): string {
  const parts: string[] = []
  for (const entry of readdirSync(archive.layout.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = readFileSync(join(entry.parentPath, entry.name))
    parts.push(entry.name, unpackAll(entry.name, bytes).toString())
  }
  return parts.join('\n')
}

/** A session with files of every kind and two generations, and another one next to it. */
async function archivedFixture(fixture: Fixture): Promise<Archive> {
  const archive = fixture.archive()
  for (const text of ['xylophone one', 'xylophone two']) {
    fixture.write(logOf(sessionA), line(sessionA, text))
    fixture.write(`projects/-home-mira-boat/${sessionA}/subagents/agent-1.jsonl`, line(sessionA, `agent ${text}`))
    fixture.write(`todos/${sessionA}-agent-${sessionA}.json`, `["todo ${text}"]`)
    fixture.write(`file-history/${sessionA}/abc@v1`, `history ${text}`)
    fixture.write(logOf(sessionB), line(sessionB, 'stays'))
    await capture(archive, { roots: [fixture.home] })
  }
  return archive
}

test('after forgetting, no byte of the session is in the archive, and its id only in the mark', () =>
  withFixture(async fixture => {
    const archive = await archivedFixture(fixture)
    expect(everyText(archive)).toContain('xylophone')
    const report = await forget(archive, sessionA)
    expect(report).toMatchObject({ isKept: true, generations: 8, packsLeft: [], homes: [fixture.home] })
    expect(report.files.map(({ path, generations }) => [path, generations])).toEqual([
      [logOf(sessionA), 2],
      [`projects/-home-mira-boat/${sessionA}/subagents/agent-1.jsonl`, 2],
      [`file-history/${sessionA}/abc@v1`, 2],
      [`todos/${sessionA}-agent-${sessionA}.json`, 2],
    ])
    const text = everyText(archive)
    expect(text).not.toContain('xylophone')
    expect(text.split(sessionA)).toHaveLength(2)
    expect(text).toContain(`{"forgotten":"${sessionA}"`)
    expect(archivedPaths(fixture.archive())).toEqual([logOf(sessionB)])
  }))

test('later runs leave it out, until it is remembered', () =>
  withFixture(async fixture => {
    const archive = await archivedFixture(fixture)
    await forget(archive, sessionA)
    expect(await capture(archive, { roots: [fixture.home] })).toMatchObject({ leftOut: 4, bytes: 0 })
    expect(archivedPaths(archive)).toEqual([logOf(sessionB)])
    expect(await remember(archive, sessionA)).toBe(true)
    expect(await remember(archive, sessionA)).toBe(false)
    await capture(archive, { roots: [fixture.home] })
    expect(archivedPaths(fixture.archive())).toHaveLength(5)
  }))

test('a plan says the same and changes nothing', () =>
  withFixture(async fixture => {
    const archive = await archivedFixture(fixture)
    const segment = archive.lastSegment()
    const plan = await planForget(archive, sessionA)
    expect(archive.lastSegment()).toBe(segment)
    expect({ ...plan, packsLeft: [] }).toEqual(await forget(archive, sessionA))
    expect(plan.freed.bytes).toBe(plan.bytes)
  }))

test('live files are named and not touched', () =>
  withFixture(async fixture => {
    const archive = await archivedFixture(fixture)
    const { remains } = await forget(archive, sessionA, { discoveries: [await discover(fixture.home)] })
    expect(remains.live).toEqual(
      [
        logOf(sessionA),
        `projects/-home-mira-boat/${sessionA}/subagents/agent-1.jsonl`,
        `todos/${sessionA}-agent-${sessionA}.json`,
        `file-history/${sessionA}/abc@v1`,
      ]
        .map(path => fixture.at(path))
        .sort(),
    )
    expect(fixture.read(logOf(sessionA)).toString()).toContain('xylophone two')
  }))

test('frames that another session has too stay, and it is said which', () =>
  withFixture(async fixture => {
    const shared = logBytes(3, 300_000)
    fixture.write(logOf(sessionA), Buffer.concat([shared, Buffer.from(line(sessionA, 'only here'))]))
    fixture.write(logOf(sessionB), Buffer.concat([shared, Buffer.from(line(sessionB, 'fork'))]))
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    const { remains, freed, bytes } = await forget(archive, sessionA)
    expect(remains.shared.sessions).toEqual([sessionB])
    expect(remains.shared.bytes).toBeGreaterThan(100_000)
    expect(remains.shared.bytes + freed.bytes).toBe(bytes)
    expect(everyText(archive)).not.toContain('only here')
    rmSync(fixture.at(logOf(sessionB)))
    const other = archive.manifest.catalog.current(fixture.home, logOf(sessionB))
    expect((await archivedBytes(archive, other?.id ?? '')).subarray(0, 300_000).equals(shared)).toBe(true)
  }))

test('the prompt history that is on disk stays, and its lines are counted: those that name the session and those that name none', () =>
  withFixture(async fixture => {
    const prompt = (session?: string) => `${JSON.stringify({ display: 'hi', project: '/p', sessionId: session })}\n`
    fixture.write('history.jsonl', prompt() + prompt(sessionB) + prompt(sessionA))
    fixture.write(logOf(sessionA), line(sessionA))
    fixture.write(logOf(sessionB), line(sessionB))
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    fixture.append('history.jsonl', `${prompt(sessionA)}\n${prompt(sessionB)}`)
    await capture(archive, { roots: [fixture.home] })
    fixture.write('history.jsonl', prompt(sessionB) + prompt(sessionA).trimEnd())
    await capture(archive, { roots: [fixture.home] })
    const { remains } = await forget(archive, sessionA)
    expect(remains.mentions).toEqual([
      { home: fixture.home, path: 'history.jsonl', number: 1, lines: 0, linesWithoutSession: 1 },
      { home: fixture.home, path: 'history.jsonl', number: 2, lines: 1 },
    ])
    await capture(archive, { roots: [fixture.home] })
    expect(archivedPaths(archive)).toEqual(['history.jsonl', logOf(sessionB)])
  }))

test('a session that is only on disk gets the mark and nothing else', () =>
  withFixture(async fixture => {
    fixture.write(logOf(sessionA), line(sessionA))
    const archive = fixture.archive()
    const discoveries = [await discover(fixture.home)]
    expect(await planForget(archive, sessionA, { discoveries })).toMatchObject({ isKept: false, wasForgotten: false })
    expect(archive.exists).toBe(false)
    const report = await forget(archive, sessionA, { discoveries })
    expect(report).toMatchObject({ isKept: false, remains: { live: [fixture.at(logOf(sessionA))] } })
    await capture(archive, { roots: [fixture.home] })
    expect(archivedPaths(archive)).toEqual([])
    expect(await forget(archive, sessionA)).toMatchObject({ wasForgotten: true })
  }))

test('a log that cannot be read is named among what remains on disk', () =>
  withFixture(async fixture => {
    const file = fixture.at(logOf(sessionA))
    const unread: Finding = { code: 'unreadable-file', severity: 'warning', message: 'It cannot be read.', file }
    const none = { sessions: [], histories: [], strays: [] }
    const discoveries = [{ root: fixture.home, ...none, findings: [unread] }]
    const { remains } = await planForget(fixture.archive(), sessionA, { discoveries })
    expect(remains.live).toEqual([file])
  }))

test('what is left of a session whose log was never archived goes too', () =>
  withFixture(async fixture => {
    fixture.write(`todos/${sessionA}-agent-${sessionA}.json`, '["xylophone"]')
    fixture.write(logOf(sessionB), line(sessionB))
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    expect(await forget(archive, sessionA)).toMatchObject({ isKept: true, generations: 1 })
    expect(everyText(archive)).not.toContain('xylophone')
  }))

test('an earlier generation that was the session before another one took its file goes alone', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    const path = 'projects/-home-mira-boat/notes.jsonl'
    fixture.write(path, line(sessionA, 'xylophone'))
    await capture(archive, { roots: [fixture.home] })
    fixture.write(path, line(sessionB, 'another'))
    await capture(archive, { roots: [fixture.home] })
    expect(await forget(archive, sessionA)).toMatchObject({ generations: 1 })
    expect(everyText(archive)).not.toContain('xylophone')
    expect(archivedPaths(archive)).toEqual([path])
  }))

test('a pack that cannot be rewritten, since another frame in it is damaged, is named', () =>
  withFixture(async fixture => {
    fixture.write(logOf(sessionA), line(sessionA, 'xylophone'))
    fixture.write(logOf(sessionB), line(sessionB, 'stays'))
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    const frame = archive.manifest.catalog.current(fixture.home, logOf(sessionB))?.frames[0] ?? ''
    const place = archive.manifest.catalog.frames.get(frame)
    const pack = join(archive.layout.packs, place?.pack ?? '')
    const bytes = readFileSync(pack)
    bytes.fill(0, (place?.at ?? 0) + 20, (place?.at ?? 0) + 30)
    writeFileSync(pack, bytes)
    expect(await forget(archive, sessionA)).toMatchObject({ packsLeft: [place?.pack] })
  }))
