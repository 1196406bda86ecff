import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
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
  sessionC,
  withFixture,
} from '../../../test/archive/fixture.ts'
import { capture } from '../capture/capture.ts'
import type { Archive } from '../store/archive.ts'
import { planPrune, prune } from './prune.ts'

const logOf = (session: string, slug = '-home-mira-boat') => `projects/${slug}/${session}.jsonl`
const line = (session: string, text?: string) => recordLine(session, '/home/mira/boat', text)

/** A at 2023, B at 2024, both 200 KB that nothing shares; C in another project. */
async function threeSessions(fixture: Fixture): Promise<Archive> {
  fixture.write(logOf(sessionA), Buffer.concat([Buffer.from(line(sessionA)), logBytes(1, 200_000)]))
  fixture.write(logOf(sessionB), Buffer.concat([Buffer.from(line(sessionB)), logBytes(2, 200_000)]))
  fixture.write(logOf(sessionC, '-home-mira-boat-2'), recordLine(sessionC, '/home/mira/boat-2'))
  utimesSync(fixture.at(logOf(sessionA)), Date.UTC(2023, 5) / 1000, Date.UTC(2023, 5) / 1000)
  utimesSync(fixture.at(logOf(sessionB)), Date.UTC(2024, 5) / 1000, Date.UTC(2024, 5) / 1000)
  const archive = fixture.archive()
  await capture(archive, { roots: [fixture.home] })
  return archive
}

const idsOf = (plan: Awaited<ReturnType<typeof planPrune>>) => plan.sessions.map(({ session }) => session).sort()

test('nothing is pruned without a rule, and a rule must make sense', () =>
  withFixture(async fixture => {
    await expect(planPrune(fixture.archive(), {})).rejects.toMatchObject({ code: 'no-rule' })
    await expect(planPrune(fixture.archive(), { goneOnly: false })).rejects.toMatchObject({ code: 'no-rule' })
    await expect(planPrune(fixture.archive(), { keepGenerations: 0 })).rejects.toMatchObject({ code: 'bad-rule' })
    expect(await planPrune(fixture.archive(), { goneOnly: true })).toMatchObject({ sessions: [], files: 0 })
  }))

test('a plan changes nothing, and what it says is what goes', () =>
  withFixture(async fixture => {
    const archive = await threeSessions(fixture)
    const segment = archive.lastSegment()
    const plan = await planPrune(archive, { changedBeforeMs: Date.UTC(2024, 0) })
    expect(archive.lastSegment()).toBe(segment)
    expect(plan).toMatchObject({ files: 1, bytes: 200_000 + line(sessionA).length })
    expect(plan.freed.bytes).toBe(plan.bytes)
    expect(plan.sessions).toMatchObject([
      { session: sessionA, cwd: '/home/mira/boat', slug: '-home-mira-boat', files: 1, generations: 1, returns: true },
    ])
    const report = await prune(archive, plan)
    expect(report).toMatchObject({ generations: 1, skipped: 0 })
    expect(report.storedBefore - report.storedAfter).toBeGreaterThan(plan.freed.stored * 0.9)
    expect(archivedPaths(fixture.archive())).toEqual([logOf(sessionC, '-home-mira-boat-2'), logOf(sessionB)].sort())
    const other = fixture.archive().manifest.catalog.current(fixture.home, logOf(sessionB))
    expect((await archivedBytes(fixture.archive(), other?.id ?? '')).equals(fixture.read(logOf(sessionB)))).toBe(true)
  }))

test('a live session that was pruned is archived again by the next run', () =>
  withFixture(async fixture => {
    const archive = await threeSessions(fixture)
    await prune(archive, await planPrune(archive, { changedBeforeMs: Date.UTC(2024, 0) }))
    await capture(archive, { roots: [fixture.home] })
    expect(archivedPaths(archive)).toContain(logOf(sessionA))
  }))

test('a session that changed on disk since it was archived is as young as its file', () =>
  withFixture(async fixture => {
    const archive = await threeSessions(fixture)
    fixture.append(logOf(sessionA), 'new\n')
    expect(idsOf(await planPrune(archive, { changedBeforeMs: Date.UTC(2024, 0) }))).toEqual([])
  }))

test('a project is a working directory with all below it, or a folder name, and never one that only begins alike', () =>
  withFixture(async fixture => {
    const archive = await threeSessions(fixture)
    const forProject = async (...projects: string[]) => idsOf(await planPrune(archive, { projects }))
    expect(await forProject('/home/mira/boat')).toEqual([sessionA, sessionB])
    expect(await forProject('/home/mira/boat/')).toEqual([sessionA, sessionB])
    expect(await forProject('/home/mira')).toEqual([sessionA, sessionB, sessionC])
    expect(await forProject('/home/mira/bo')).toEqual([])
    expect(await forProject('-home-mira-boat-2')).toEqual([sessionC])
    expect(await forProject('-home-mira-boa')).toEqual([])
    expect(await forProject('/nowhere', '/home/mira/boat-2')).toEqual([sessionC])
  }))

test('rules of several kinds must all fit', () =>
  withFixture(async fixture => {
    const archive = await threeSessions(fixture)
    rmSync(fixture.at(logOf(sessionB)))
    expect(idsOf(await planPrune(archive, { goneOnly: true }))).toEqual([sessionB])
    expect((await planPrune(archive, { goneOnly: true })).sessions[0]?.returns).toBe(false)
    const projects = ['/home/mira/boat']
    expect(idsOf(await planPrune(archive, { goneOnly: true, projects }))).toEqual([sessionB])
    expect(idsOf(await planPrune(archive, { goneOnly: true, changedBeforeMs: Date.UTC(2024, 0) }))).toEqual([])
  }))

test('earlier generations go and the last ones stay, never the current one', () =>
  withFixture(async fixture => {
    const archive = fixture.archive()
    for (const text of ['one', 'two', 'three', 'four']) {
      fixture.write(logOf(sessionA), line(sessionA, text))
      fixture.write('history.jsonl', `{"display":"${text}"}\n`)
      await capture(archive, { roots: [fixture.home] })
    }
    const numbers = (path: string) =>
      fixture
        .archive()
        .manifest.catalog.of(fixture.home, path)
        .map(one => one.number)
    expect(numbers(logOf(sessionA))).toEqual([1, 2, 3, 4])
    const ofProject = await planPrune(archive, { keepGenerations: 2, projects: ['/home/mira/boat'] })
    expect(ofProject.sessions).toMatchObject([{ session: sessionA, generations: 2, returns: false }])
    await prune(archive, ofProject)
    expect(numbers(logOf(sessionA))).toEqual([3, 4])
    expect(numbers('history.jsonl')).toEqual([1, 2, 3, 4])
    await prune(archive, await planPrune(archive, { keepGenerations: 1 }))
    expect([numbers(logOf(sessionA)), numbers('history.jsonl')]).toEqual([[4], [4]])
    expect((await planPrune(archive, { keepGenerations: 1 })).generations).toEqual([])
  }))

test('frames that another session shares are not counted as freed and stay readable', () =>
  withFixture(async fixture => {
    const shared = logBytes(7, 300_000)
    fixture.write(logOf(sessionA), shared)
    fixture.write(logOf(sessionB), shared)
    const archive = fixture.archive()
    await capture(archive, { roots: [fixture.home] })
    rmSync(fixture.at(logOf(sessionA)))
    const plan = await planPrune(archive, { goneOnly: true })
    expect(plan).toMatchObject({ bytes: 300_000, freed: { frames: 0, bytes: 0, stored: 0 } })
    await prune(archive, plan)
    rmSync(fixture.at(logOf(sessionB)))
    const other = archive.manifest.catalog.current(fixture.home, logOf(sessionB))
    expect((await archivedBytes(archive, other?.id ?? '')).equals(shared)).toBe(true)
  }))

test('what changed after the plan was made stays', () =>
  withFixture(async fixture => {
    const archive = await threeSessions(fixture)
    const plan = await planPrune(archive, { changedBeforeMs: Date.UTC(2024, 0) })
    fixture.append(logOf(sessionA), 'came back\n')
    await capture(archive, { roots: [fixture.home] })
    expect(await prune(archive, plan)).toMatchObject({ generations: 0, skipped: 1 })
    expect(archivedPaths(archive)).toContain(logOf(sessionA))
  }))

test('a damaged manifest is not rewritten unless forced', () =>
  withFixture(async fixture => {
    const archive = await threeSessions(fixture)
    const plan = await planPrune(archive, { changedBeforeMs: Date.UTC(2024, 0) })
    const segment = join(archive.layout.manifest, archive.lastSegment())
    const bytes = readFileSync(segment)
    bytes[bytes.length - 5] = (bytes.at(-5) ?? 0) ^ 1
    writeFileSync(segment, bytes)
    await expect(prune(archive, plan)).rejects.toMatchObject({ code: 'damaged-manifest' })
    expect(archivedPaths(fixture.archive())).toHaveLength(3)
    expect(await prune(archive, plan, { evenIfDamaged: true })).toMatchObject({ generations: 1 })
    expect(archivedPaths(fixture.archive())).toHaveLength(2)
  }))
