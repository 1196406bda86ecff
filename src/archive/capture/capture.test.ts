import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  archivedBytes,
  archivedPaths,
  currentIn,
  everythingBelow,
  logBytes,
  quickOps,
  run,
  sessionA,
  sessionB,
  withWorld,
} from '../../../test/archive/world.ts'
import { generationLine } from '../format/catalog.ts'
import { appendSegment } from '../format/manifest.ts'
import type { Archive } from '../store/archive.ts'
import { capture } from './capture.ts'
import { readSeen } from './seen.ts'
import { surveyRoots } from './survey.ts'

const log = `projects/-p/${sessionA}.jsonl`

const segmentsIn = (archive: Archive) => readdirSync(archive.layout.manifest)

describe('a run', () => {
  it('archives mode, time and place of a file with its bytes', async () => {
    await withWorld(async world => {
      chmodSync(world.write(log, logBytes(1, 5000)), 0o640)
      utimesSync(world.at(log), 1000, 1_700_000_000.5)
      const { archive, report } = await run(world)
      expect(report).toMatchObject({ files: 1, added: 1, bytes: 5000, findings: [] })
      expect(currentIn(archive, world, log)).toMatchObject({
        ...{ number: 1, home: world.home, path: log, size: 5000, mode: 0o640, modifiedMs: 1_700_000_000_500 },
        identity: world.identity(log),
      })
      expect((await archivedBytes(archive, currentIn(archive, world, log).id)).equals(logBytes(1, 5000))).toBe(true)
    })
  })

  it('takes what somebody else has just looked at, and looks no further', async () => {
    await withWorld(async world => {
      world.write(log, logBytes(1, 5000))
      const surveyed = surveyRoots([world.home, world.at('no-such-folder')])
      world.write(`projects/-p/${sessionB}.jsonl`, logBytes(2, 5000))
      const { archive, report } = await run(world, { surveyed })
      expect(archivedPaths(archive)).toEqual([log])
      expect(report.findings.map(({ code }) => code)).toEqual(['missing-root'])
      rmSync(world.at(log))
      const later = await run(world, { surveyed })
      expect(later.report.findings.map(({ code }) => code)).toEqual(['missing-root', 'vanished-file'])
      // What was handed in stays as it is.
      expect(surveyed.findings).toHaveLength(1)
    })
  })

  it('stores identical content once, whatever its name', async () => {
    await withWorld(async world => {
      const paths = [log, `projects/-q/${sessionB}.jsonl`, `projects/-p/${sessionA}/tool-results/a.txt`]
      for (const path of paths) world.write(path, logBytes(1, 500_000))
      const { archive, report } = await run(world)
      expect(report.bytes).toBe(1_500_000)
      const places = [...archive.manifest.catalog.frames.values()]
      expect(places.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(500_000)
      const stored = readdirSync(archive.layout.packs).map(
        name => readFileSync(join(archive.layout.packs, name)).length,
      )
      expect(stored.reduce((sum, length) => sum + length, 0)).toBe(places.reduce((sum, place) => sum + place.stored, 0))
    })
  })

  it('over unchanged files writes nothing, needs no lock and no manifest', async () => {
    await withWorld(async world => {
      for (let count = 0; count < 20; count++) world.write(`projects/-p/${count}.jsonl`, logBytes(count, 100))
      world.aheadMs = 10_000
      await run(world)
      const before = everythingBelow(world.folder)
      const forbidden = { ...quickOps }
      for (const call of ['create', 'write', 'rename', 'link', 'unlink', 'makeFolder'] as const) {
        Object.assign(forbidden, { [call]: () => expect.fail(`${call} was called`) })
      }
      const archive = world.archive({ ops: forbidden })
      const report = await capture(archive, { roots: [world.home] })
      expect(report).toMatchObject({ files: 20, added: 0, grown: 0, bytes: 0, stored: 0 })
      expect(everythingBelow(world.folder)).toEqual(before)
    })
  })

  it('looks again at files that changed in the last two seconds, whatever time they show', async () => {
    await withWorld(async world => {
      world.write(log, 'aaaa\n')
      utimesSync(world.at(log), 1000, 1000)
      await run(world)
      // As quick as another write of the same length and time could be: the state on record is not trusted.
      const seen = readFileSync(world.archive().layout.seen, 'utf8')
      expect(seen).toContain('racy')
      world.aheadMs = 10_000
      await run(world)
      expect(readFileSync(world.archive().layout.seen, 'utf8')).not.toContain('racy')
    })
  })

  it('finds a rewrite of the same length with the time set back', async () => {
    await withWorld(async world => {
      world.write(log, 'aaaa\n')
      utimesSync(world.at(log), 1000, 1000)
      world.aheadMs = 10_000
      await run(world)
      await new Promise(done => setTimeout(done, 15))
      world.write(log, 'bbbb\n')
      utimesSync(world.at(log), 1000, 1000)
      const { archive, report } = await run(world)
      expect(report.rewritten).toBe(1)
      const texts = []
      for (const { id } of archive.manifest.catalog.of(world.home, log))
        texts.push(String(await archivedBytes(archive, id)))
      expect(texts).toEqual(['aaaa\n', 'bbbb\n'])
    })
  })

  it('stores little more than was appended', async () => {
    await withWorld(async world => {
      world.write(log, logBytes(1, 3_000_000))
      await run(world)
      world.append(log, logBytes(2, 1000))
      const { report, archive } = await run(world)
      expect(report).toMatchObject({ grown: 1, bytes: 1000 })
      expect(report.stored).toBeLessThan(2000)
      expect(archive.manifest.catalog.of(world.home, log)).toHaveLength(1)
    })
  })

  it('stores few pieces of an end that grows in small steps', async () => {
    await withWorld(async world => {
      world.write(log, '')
      for (let count = 0; count < 60; count++) {
        world.append(log, logBytes(count, 700))
        await run(world)
      }
      const { archive } = await run(world)
      const current = currentIn(archive, world, log)
      expect(current.size).toBe(42_000)
      expect(current.frames.length).toBeLessThan(12)
      expect((await archivedBytes(archive, current.id)).equals(world.read(log))).toBe(true)
    })
  })

  it('begins the next generation at a shrink and at a rewrite, and none at a replacement that goes on', async () => {
    await withWorld(async world => {
      world.write(log, 'one\ntwo\n')
      await run(world)
      truncateSync(world.at(log), 4)
      expect((await run(world)).report.rewritten).toBe(1)
      writeFileSync(join(world.root, 'aside'), 'one\nthree\n')
      renameSync(join(world.root, 'aside'), world.at(log))
      const { archive, report } = await run(world)
      expect(report).toMatchObject({ rewritten: 0, grown: 1 })
      const archived = archive.manifest.catalog.of(world.home, log)
      expect(archived.map(({ number, size }) => [number, size])).toEqual([
        [1, 8],
        [2, 10],
      ])
    })
  })

  it('lets a moved file keep all its generations, in their order', async () => {
    await withWorld(async world => {
      const ids: string[] = []
      for (const text of ['first\n', 'second\n', 'third\n']) {
        world.write(log, text)
        const { archive } = await run(world)
        ids.push(currentIn(archive, world, log).id)
      }
      const to = `projects/-q/${sessionA}.jsonl`
      mkdirSync(world.at('projects/-q'))
      renameSync(world.at(log), world.at(to))
      world.append(to, 'more\n')
      const { archive, report } = await run(world)
      expect(report).toMatchObject({ moved: 1, grown: 1, added: 0 })
      for (const seen of [archive, world.archive()]) {
        expect(seen.manifest.catalog.of(world.home, to).map(generation => generation.id)).toEqual(ids)
        expect(seen.manifest.catalog.of(world.home, log)).toEqual([])
        expect(String(await archivedBytes(seen, ids[0] ?? ''))).toBe('first\n')
      }
    })
  })

  it('takes a second name of a file for a file of its own, also where only that name was looked at', async () => {
    await withWorld(async world => {
      world.write(log, 'text\n')
      await run(world)
      mkdirSync(world.at('projects/-q'))
      for (const name of [sessionA, sessionB]) linkSync(world.at(log), world.at(`projects/-q/${name}.jsonl`))
      await run(world, { roots: [world.at('projects/-q')] })
      rmSync(world.at(log))
      const { archive } = await run(world)
      const paths = [log, `projects/-q/${sessionA}.jsonl`, `projects/-q/${sessionB}.jsonl`]
      expect(archivedPaths(archive)).toEqual(paths)
    })
  })

  it('takes one of two new names for the moved file and the other for a new one', async () => {
    await withWorld(async world => {
      world.write(log, 'text\n')
      const { archive: first } = await run(world)
      mkdirSync(world.at('projects/-q'))
      for (const name of [sessionA, sessionB]) linkSync(world.at(log), world.at(`projects/-q/${name}.jsonl`))
      rmSync(world.at(log))
      const { archive, report } = await run(world)
      expect(report).toMatchObject({ moved: 1, added: 1 })
      expect(archivedPaths(archive)).toEqual([`projects/-q/${sessionA}.jsonl`, `projects/-q/${sessionB}.jsonl`])
      expect(archive.manifest.catalog.generations.has(currentIn(first, world, log).id)).toBe(true)
    })
  })

  it('begins the numbers of a file anew where another one was moved away', async () => {
    await withWorld(async world => {
      world.write(log, 'text\n')
      await run(world)
      renameSync(world.at(log), world.at(`projects/-p/${sessionB}.jsonl`))
      await run(world)
      world.write(log, 'other\n')
      const { archive } = await run(world)
      expect(currentIn(archive, world, log).number).toBe(1)
      expect(archive.manifest.catalog.generations.size).toBe(2)
    })
  })

  it('archives an empty file', async () => {
    await withWorld(async world => {
      world.write(log, '')
      const { archive, report } = await run(world)
      expect(report).toMatchObject({ added: 1, bytes: 0 })
      expect((await archivedBytes(archive, currentIn(archive, world, log).id)).length).toBe(0)
      expect((await run(world)).report.added).toBe(0)
    })
  })

  it('archives names of any kind', async () => {
    await withWorld(async world => {
      const names = ['plans/ü ö.md', 'plans/a\tb.md', 'plans/a\nb "c" \\d.md', 'plans/\u2028,"check":"00000000"}.md']
      for (const name of names) world.write(name, name)
      world.aheadMs = 10_000
      await run(world)
      const { archive, report } = await run(world)
      expect(report.added).toBe(0)
      expect(archivedPaths(archive)).toEqual([...names].sort())
      expect(archive.manifest.damage).toEqual([])
    })
  })

  it('commits in steps when it takes long, and loses nothing when it is stopped', async () => {
    await withWorld(async world => {
      for (let count = 0; count < 10; count++) world.write(`projects/-p/${count}.jsonl`, logBytes(count, 100))
      let now = Date.now()
      const archive = world.archive({ now: () => (now += 4000) })
      let asked = 0
      const report = await capture(archive, { roots: [world.home], isStopped: () => ++asked > 6 })
      expect(report.added).toBe(6)
      expect(segmentsIn(archive).length).toBeGreaterThan(1)
      expect(world.archive().manifest.catalog.generations.size).toBe(6)
      expect((await run(world)).report.added).toBe(4)
    })
  })

  it('heals a manifest that lost lines from the files that are still there', async () => {
    await withWorld(async world => {
      const other = `projects/-p/${sessionB}.jsonl`
      world.write(log, logBytes(1, 2000))
      world.write(other, logBytes(2, 2000))
      world.aheadMs = 10_000
      const { archive } = await run(world)
      world.append(log, logBytes(3, 2000))
      await run(world)
      rmSync(join(archive.layout.manifest, '00000002.jsonl'))
      world.write('history.jsonl', 'x\n')
      const { archive: healed } = await run(world)
      expect((await archivedBytes(healed, currentIn(healed, world, log).id)).equals(world.read(log))).toBe(true)
      rmSync(world.at(log))
      const { archive: last } = await run(world)
      expect((await archivedBytes(last, currentIn(last, world, log).id)).length).toBe(4000)
    })
  })

  it('archives what was broken when its file is moved, still as broken', async () => {
    await withWorld(async world => {
      world.write(log, 'first\n')
      const { archive } = await run(world)
      const broken = currentIn(archive, world, log)
      await archive.change('test', async manifest => {
        const line = {
          generation: broken.id,
          number: 1,
          home: world.home,
          path: log,
          size: 99,
          from: 50,
          frames: ['f'],
        }
        appendSegment(archive.ops, archive.layout, manifest, [line])
      })
      world.write(log, 'second\n')
      await run(world)
      renameSync(world.at(log), world.at(`projects/-p/${sessionB}.jsonl`))
      await run(world)
      const { catalog } = world.archive().manifest
      expect(catalog.broken.has(broken.id)).toBe(true)
      expect(catalog.generations.get(broken.id)).toMatchObject({ path: `projects/-p/${sessionB}.jsonl`, size: 99 })
      expect(catalog.generations.get(broken.id)?.frames[0]).toBe(broken.frames[0])
    })
  })
})

it('a generation whose frames are fewer bytes than it says is not continued, and nothing hangs', async () => {
  await withWorld(async world => {
    world.write(log, logBytes(1, 1000))
    const { archive } = await run(world)
    const known = currentIn(archive, world, log)
    await archive.change('test', async manifest => {
      const line = generationLine({ ...known, size: known.size + 50 }, 0, known.frames)
      appendSegment(archive.ops, archive.layout, manifest, [line])
    })
    world.write(log, logBytes(1, 1200))
    const { archive: after, report } = await run(world)
    expect(report.rewritten).toBe(1)
    expect((await archivedBytes(after, currentIn(after, world, log).id)).equals(logBytes(1, 1200))).toBe(true)
  })
})

it('a file that is gone is taken off the list of what was seen, whatever characters its name has', async () => {
  await withWorld(async world => {
    const odd = `projects/-p/${sessionA}/tool-results/a"b\\c.txt`
    for (const path of [log, odd]) world.write(path, logBytes(1, 100))
    const { archive } = await run(world)
    expect([...(readSeen(archive.layout)?.files.keys() ?? [])]).toHaveLength(2)
    rmSync(world.at(odd))
    world.write(log, logBytes(1, 200))
    await run(world)
    expect([...(readSeen(archive.layout)?.files.keys() ?? [])]).toHaveLength(1)
  })
})
