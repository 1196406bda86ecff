import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Fixture, recordLine, sessionA, sessionB, sessionC, withFixture } from '../../../test/archive/fixture.ts'
import { discover } from '../../disk/discover/discover.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { capture } from '../capture/capture.ts'
import type { Archive } from '../store/archive.ts'
import { forget } from './forget.ts'
import { archiveStatus } from './status.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`
const line = (session: string, text?: string) => recordLine(session, '/home/mira/boat', text)

async function statusOf(fixture: Fixture, archive: Archive, exclude: string[] = []) {
  const discoveries = [await discover(fixture.home)]
  return archiveStatus(archive, { roots: [fixture.home], discoveries, exclude, retention: new Retention() })
}

test('an archive that does not exist yet has everything still to archive', () =>
  withFixture(async fixture => {
    fixture.write(logOf(sessionA), line(sessionA))
    const status = await statusOf(fixture, fixture.archive())
    expect(status).toMatchObject({ files: 0, generations: 0, bytes: 0, storedBytes: 0, sessions: 0, lastRun: null })
    expect(status.unarchivedBytes).toBe(line(sessionA).length)
    expect(status.notKept).toEqual([
      { session: sessionA, file: fixture.at(logOf(sessionA)), bytes: line(sessionA).length, reason: 'new' },
    ])
    expect(status.expiring).toMatchObject([{ session: sessionA, archived: false }])
  }))

test('after a run nothing is missing, also where the list of what was seen is gone', () =>
  withFixture(async fixture => {
    fixture.write(logOf(sessionA), line(sessionA))
    fixture.write(`todos/${sessionA}-agent-${sessionA}.json`, '[]')
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    for (const isSeenGone of [false, true]) {
      if (isSeenGone) rmSync(archive.layout.seen)
      const status = await statusOf(fixture, archive)
      expect(status).toMatchObject({ files: 2, generations: 2, sessions: 1, unarchivedBytes: 0, notKept: [] })
      expect(status).toMatchObject({ homes: [fixture.home], packs: 1, segments: 1, goneSessions: 0, damage: [] })
      expect(status.bytes).toBe(line(sessionA).length + 2)
      expect(status.storedBytes).toBeGreaterThan(0)
      expect(status.lastRun).toMatch(/^20\d\d-/)
      expect(status.expiring).toMatchObject([{ session: sessionA, archived: true }])
    }
  }))

test('what was added, grew or was touched since the last run is reported with its bytes', () =>
  withFixture(async fixture => {
    for (const session of [sessionA, sessionB]) fixture.write(logOf(session), line(session))
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    fixture.append(logOf(sessionA), 'more\n')
    utimesSync(fixture.at(logOf(sessionB)), 1_700_000_000, 1_700_000_000)
    fixture.write(logOf(sessionC), line(sessionC))
    const status = await statusOf(fixture, archive)
    const reasons = new Map(status.notKept.map(({ session, bytes, reason }) => [session, { bytes, reason }]))
    expect(reasons.get(sessionA)).toEqual({ bytes: 5, reason: 'grown' })
    expect(reasons.get(sessionB)).toEqual({ bytes: 0, reason: 'changed' })
    expect(reasons.get(sessionC)).toEqual({ bytes: line(sessionC).length, reason: 'new' })
    expect(status.unarchivedBytes).toBe(5 + line(sessionC).length)
    expect(status.expiring.map(({ archived }) => archived)).toEqual([false, false, false])
    await capture(archive, { roots: [fixture.home] })
    expect((await statusOf(fixture, archive)).notKept).toEqual([])
  }))

test('a file that became shorter counts whole, and the earlier content as an earlier generation', () =>
  withFixture(async fixture => {
    fixture.write(logOf(sessionA), line(sessionA) + line(sessionA, 'two'))
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    fixture.write(logOf(sessionA), line(sessionA))
    const before = await statusOf(fixture, archive)
    expect(before.notKept).toMatchObject([{ reason: 'changed', bytes: line(sessionA).length }])
    await capture(archive, { roots: [fixture.home] })
    expect(await statusOf(fixture, archive)).toMatchObject({ files: 1, generations: 2, earlierGenerations: 1 })
  }))

test('a file that was only moved has nothing that is not archived', () =>
  withFixture(async fixture => {
    fixture.write(logOf(sessionA), line(sessionA))
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    mkdirSync(fixture.at('projects/-home-mira-other'))
    renameSync(fixture.at(logOf(sessionA)), fixture.at(`projects/-home-mira-other/${sessionA}.jsonl`))
    expect(await statusOf(fixture, archive)).toMatchObject({ notKept: [], unarchivedBytes: 0, goneSessions: 0 })
  }))

test('sessions that are no longer on disk are counted as gone', () =>
  withFixture(async fixture => {
    for (const session of [sessionA, sessionB]) fixture.write(logOf(session), line(session))
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    rmSync(fixture.at(logOf(sessionA)))
    expect(await statusOf(fixture, archive)).toMatchObject({ sessions: 2, goneSessions: 1 })
  }))

test('equal content of two sessions is stored once and counted as shared', () =>
  withFixture(async fixture => {
    const text = line(sessionA)
    fixture.write(logOf(sessionA), text)
    fixture.write(logOf(sessionB), text)
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    expect(await statusOf(fixture, archive)).toMatchObject({ bytes: 2 * text.length, sharedBytes: text.length })
  }))

test('files that rules leave out are reported with the rule and are not waited for', () =>
  withFixture(async fixture => {
    fixture.write(logOf(sessionA), line(sessionA))
    fixture.write(`todos/${sessionA}-agent-${sessionA}.json`, '[]')
    fixture.write(`projects/-home-mira-secret/${sessionB}.jsonl`, recordLine(sessionB, '/home/mira/secret'))
    fixture.write(logOf(sessionC), line(sessionC))
    const archive = fixture.archive()
    const exclude = ['/home/mira/secret']
    await forget(archive, sessionA)
    for (const isArchived of [false, true]) {
      if (isArchived) await capture(archive, { roots: [fixture.home], exclude })
      const status = await statusOf(fixture, archive, exclude)
      const reasons = status.notKept.map(({ session, reason }) => `${session?.[0]} ${reason}`).sort()
      expect(reasons).toEqual(['1 forgotten', '1 forgotten', '2 excluded', ...(isArchived ? [] : ['3 new'])])
      expect(status).toMatchObject({ leftOut: 3, unarchivedBytes: isArchived ? 0 : line(sessionC).length })
    }
  }))

test('what Claude Code deletes comes soonest first, as its settings say', () =>
  withFixture(async fixture => {
    const day = 86_400
    for (const [session, age] of [
      [sessionA, 3],
      [sessionB, 9],
      [sessionC, 1],
    ] as const) {
      fixture.write(logOf(session), line(session))
      const at = 1_790_000_000 - age * day
      utimesSync(fixture.at(logOf(session)), at, at)
    }
    writeFileSync(join(fixture.home, 'settings.json'), '{"cleanupPeriodDays":10}')
    const { expiring } = await statusOf(fixture, fixture.archive())
    expect(expiring.map(({ session }) => session)).toEqual([sessionB, sessionA, sessionC])
    expect(expiring[0]).toEqual({
      session: sessionB,
      file: fixture.at(logOf(sessionB)),
      deletedOn: new Date((1_790_000_000 + day) * 1000).toISOString(),
      archived: false,
    })
  }))

test('damage of the manifest is reported', () =>
  withFixture(async fixture => {
    fixture.write(logOf(sessionA), line(sessionA))
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    writeFileSync(join(archive.layout.manifest, archive.lastSegment()), 'nonsense\n')
    archive.reload()
    const status = await statusOf(fixture, archive)
    expect(status.damage).toMatchObject([{ segment: '00000001.jsonl' }])
    expect(status.notKept).toMatchObject([{ reason: 'new' }])
  }))
