import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  archivedBytes,
  archivedPaths,
  logBytes,
  recordLine,
  sessionA,
  sessionB,
  sessionC,
  type World,
  withWorld,
} from '../../../test/archive/world.ts'
import { capture } from '../capture/capture.ts'
import type { Archive } from '../store/archive.ts'
import { planPrune, prune } from './prune.ts'

const logOf = (session: string, slug = '-home-mira-boat') => `projects/${slug}/${session}.jsonl`
const line = (session: string, text?: string) => recordLine(session, '/home/mira/boat', text)

/** A at 2023, B at 2024, both 200 KB that nothing shares; C in another project. */
async function threeSessions(world: World): Promise<Archive> {
  world.write(logOf(sessionA), Buffer.concat([Buffer.from(line(sessionA)), logBytes(1, 200_000)]))
  world.write(logOf(sessionB), Buffer.concat([Buffer.from(line(sessionB)), logBytes(2, 200_000)]))
  world.write(logOf(sessionC, '-home-mira-boat-2'), recordLine(sessionC, '/home/mira/boat-2'))
  utimesSync(world.at(logOf(sessionA)), Date.UTC(2023, 5) / 1000, Date.UTC(2023, 5) / 1000)
  utimesSync(world.at(logOf(sessionB)), Date.UTC(2024, 5) / 1000, Date.UTC(2024, 5) / 1000)
  const archive = world.archive()
  await capture(archive, { roots: [world.home] })
  return archive
}

const idsOf = (plan: Awaited<ReturnType<typeof planPrune>>) => plan.sessions.map(({ session }) => session).sort()

test('nothing is pruned without a rule, and a rule must make sense', () =>
  withWorld(async world => {
    await expect(planPrune(world.archive(), {})).rejects.toMatchObject({ code: 'no-rule' })
    await expect(planPrune(world.archive(), { goneOnly: false })).rejects.toMatchObject({ code: 'no-rule' })
    await expect(planPrune(world.archive(), { keepGenerations: 0 })).rejects.toMatchObject({ code: 'bad-rule' })
    expect(await planPrune(world.archive(), { goneOnly: true })).toMatchObject({ sessions: [], files: 0 })
  }))

test('a plan changes nothing, and what it says is what goes', () =>
  withWorld(async world => {
    const archive = await threeSessions(world)
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
    expect(archivedPaths(world.archive())).toEqual([logOf(sessionC, '-home-mira-boat-2'), logOf(sessionB)].sort())
    const other = world.archive().manifest.catalog.current(world.home, logOf(sessionB))
    expect((await archivedBytes(world.archive(), other?.id ?? '')).equals(world.read(logOf(sessionB)))).toBe(true)
  }))

test('a live session that was pruned is archived again by the next run', () =>
  withWorld(async world => {
    const archive = await threeSessions(world)
    await prune(archive, await planPrune(archive, { changedBeforeMs: Date.UTC(2024, 0) }))
    await capture(archive, { roots: [world.home] })
    expect(archivedPaths(archive)).toContain(logOf(sessionA))
  }))

test('a session that changed on disk since it was archived is as young as its file', () =>
  withWorld(async world => {
    const archive = await threeSessions(world)
    world.append(logOf(sessionA), 'new\n')
    expect(idsOf(await planPrune(archive, { changedBeforeMs: Date.UTC(2024, 0) }))).toEqual([])
  }))

test('a project is a working directory with all below it, or a folder name, and never one that only begins alike', () =>
  withWorld(async world => {
    const archive = await threeSessions(world)
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
  withWorld(async world => {
    const archive = await threeSessions(world)
    rmSync(world.at(logOf(sessionB)))
    expect(idsOf(await planPrune(archive, { goneOnly: true }))).toEqual([sessionB])
    expect((await planPrune(archive, { goneOnly: true })).sessions[0]?.returns).toBe(false)
    const projects = ['/home/mira/boat']
    expect(idsOf(await planPrune(archive, { goneOnly: true, projects }))).toEqual([sessionB])
    expect(idsOf(await planPrune(archive, { goneOnly: true, changedBeforeMs: Date.UTC(2024, 0) }))).toEqual([])
  }))

test('earlier generations go and the last ones stay, never the current one', () =>
  withWorld(async world => {
    const archive = world.archive()
    for (const text of ['one', 'two', 'three', 'four']) {
      world.write(logOf(sessionA), line(sessionA, text))
      world.write('history.jsonl', `{"display":"${text}"}\n`)
      await capture(archive, { roots: [world.home] })
    }
    const numbers = (path: string) =>
      world
        .archive()
        .manifest.catalog.of(world.home, path)
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
  withWorld(async world => {
    const shared = logBytes(7, 300_000)
    world.write(logOf(sessionA), shared)
    world.write(logOf(sessionB), shared)
    const archive = world.archive()
    await capture(archive, { roots: [world.home] })
    rmSync(world.at(logOf(sessionA)))
    const plan = await planPrune(archive, { goneOnly: true })
    expect(plan).toMatchObject({ bytes: 300_000, freed: { frames: 0, bytes: 0, stored: 0 } })
    await prune(archive, plan)
    rmSync(world.at(logOf(sessionB)))
    const other = archive.manifest.catalog.current(world.home, logOf(sessionB))
    expect((await archivedBytes(archive, other?.id ?? '')).equals(shared)).toBe(true)
  }))

test('what changed after the plan was made stays', () =>
  withWorld(async world => {
    const archive = await threeSessions(world)
    const plan = await planPrune(archive, { changedBeforeMs: Date.UTC(2024, 0) })
    world.append(logOf(sessionA), 'came back\n')
    await capture(archive, { roots: [world.home] })
    expect(await prune(archive, plan)).toMatchObject({ generations: 0, skipped: 1 })
    expect(archivedPaths(archive)).toContain(logOf(sessionA))
  }))

test('a damaged manifest is not written anew unless told', () =>
  withWorld(async world => {
    const archive = await threeSessions(world)
    const plan = await planPrune(archive, { changedBeforeMs: Date.UTC(2024, 0) })
    const segment = join(archive.layout.manifest, archive.lastSegment())
    const bytes = readFileSync(segment)
    bytes[bytes.length - 5] = (bytes.at(-5) ?? 0) ^ 1
    writeFileSync(segment, bytes)
    await expect(prune(archive, plan)).rejects.toMatchObject({ code: 'damaged-manifest' })
    expect(archivedPaths(world.archive())).toHaveLength(3)
    expect(await prune(archive, plan, { evenIfDamaged: true })).toMatchObject({ generations: 1 })
    expect(archivedPaths(world.archive())).toHaveLength(2)
  }))
