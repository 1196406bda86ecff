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
  withFixture,
} from '../../../test/archive/fixture.ts'
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
    await withFixture(async fixture => {
      chmodSync(fixture.write(log, logBytes(1, 5000)), 0o640)
      utimesSync(fixture.at(log), 1000, 1_700_000_000.5)
      const { archive, report } = await run(fixture)
      expect(report).toMatchObject({ files: 1, added: 1, bytes: 5000, findings: [] })
      expect(currentIn(archive, fixture, log)).toMatchObject({
        ...{ number: 1, home: fixture.home, path: log, size: 5000, mode: 0o640, modifiedMs: 1_700_000_000_500 },
        identity: fixture.identity(log),
      })
      expect((await archivedBytes(archive, currentIn(archive, fixture, log).id)).equals(logBytes(1, 5000))).toBe(true)
    })
  })

  it('takes what somebody else has just looked at, and looks no further', async () => {
    await withFixture(async fixture => {
      fixture.write(log, logBytes(1, 5000))
      const surveyed = surveyRoots([fixture.home, fixture.at('no-such-folder')])
      fixture.write(`projects/-p/${sessionB}.jsonl`, logBytes(2, 5000))
      const { archive, report } = await run(fixture, { surveyed })
      expect(archivedPaths(archive)).toEqual([log])
      expect(report.findings.map(({ code }) => code)).toEqual(['missing-root'])
      rmSync(fixture.at(log))
      const later = await run(fixture, { surveyed })
      expect(later.report.findings.map(({ code }) => code)).toEqual(['missing-root', 'vanished-file'])
      // What was handed in stays as it is.
      expect(surveyed.findings).toHaveLength(1)
    })
  })

  it('stores identical content once, whatever its name', async () => {
    await withFixture(async fixture => {
      const paths = [log, `projects/-q/${sessionB}.jsonl`, `projects/-p/${sessionA}/tool-results/a.txt`]
      for (const path of paths) fixture.write(path, logBytes(1, 500_000))
      const { archive, report } = await run(fixture)
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
    await withFixture(async fixture => {
      for (let count = 0; count < 20; count++) fixture.write(`projects/-p/${count}.jsonl`, logBytes(count, 100))
      fixture.aheadMs = 10_000
      await run(fixture)
      const before = everythingBelow(fixture.archiveFolder)
      const forbidden = { ...quickOps }
      for (const call of ['create', 'write', 'rename', 'link', 'unlink', 'makeFolder'] as const) {
        Object.assign(forbidden, { [call]: () => expect.fail(`${call} was called`) })
      }
      const archive = fixture.archive({ ops: forbidden })
      const report = await capture(archive, { roots: [fixture.home] })
      expect(report).toMatchObject({ files: 20, added: 0, grown: 0, bytes: 0, stored: 0 })
      expect(everythingBelow(fixture.archiveFolder)).toEqual(before)
    })
  })

  it('looks again at files that changed in the last two seconds, whatever time they show', async () => {
    await withFixture(async fixture => {
      fixture.write(log, 'aaaa\n')
      utimesSync(fixture.at(log), 1000, 1000)
      await run(fixture)
      // As quick as another write of the same length and time could be: the state on record is not trusted.
      const seen = readFileSync(fixture.archive().layout.seen, 'utf8')
      expect(seen).toContain('racy')
      fixture.aheadMs = 10_000
      await run(fixture)
      expect(readFileSync(fixture.archive().layout.seen, 'utf8')).not.toContain('racy')
    })
  })

  it('finds a rewrite of the same length with the time set back', async () => {
    await withFixture(async fixture => {
      fixture.write(log, 'aaaa\n')
      utimesSync(fixture.at(log), 1000, 1000)
      fixture.aheadMs = 10_000
      await run(fixture)
      await new Promise(done => setTimeout(done, 15))
      fixture.write(log, 'bbbb\n')
      utimesSync(fixture.at(log), 1000, 1000)
      const { archive, report } = await run(fixture)
      expect(report.rewritten).toBe(1)
      const texts = []
      for (const { id } of archive.manifest.catalog.of(fixture.home, log))
        texts.push(String(await archivedBytes(archive, id)))
      expect(texts).toEqual(['aaaa\n', 'bbbb\n'])
    })
  })

  it('stores little more than was appended', async () => {
    await withFixture(async fixture => {
      fixture.write(log, logBytes(1, 3_000_000))
      await run(fixture)
      fixture.append(log, logBytes(2, 1000))
      const { report, archive } = await run(fixture)
      expect(report).toMatchObject({ grown: 1, bytes: 1000 })
      expect(report.stored).toBeLessThan(2000)
      expect(archive.manifest.catalog.of(fixture.home, log)).toHaveLength(1)
    })
  })

  it('stores few pieces of an end that grows in small steps', async () => {
    await withFixture(async fixture => {
      fixture.write(log, '')
      for (let count = 0; count < 60; count++) {
        fixture.append(log, logBytes(count, 700))
        await run(fixture)
      }
      const { archive } = await run(fixture)
      const current = currentIn(archive, fixture, log)
      expect(current.size).toBe(42_000)
      expect(current.frames.length).toBeLessThan(12)
      expect((await archivedBytes(archive, current.id)).equals(fixture.read(log))).toBe(true)
    })
  })

  it('begins the next generation at a shrink and at a rewrite, and none at a replacement that continues', async () => {
    await withFixture(async fixture => {
      fixture.write(log, 'one\ntwo\n')
      await run(fixture)
      truncateSync(fixture.at(log), 4)
      expect((await run(fixture)).report.rewritten).toBe(1)
      writeFileSync(join(fixture.folder, 'aside'), 'one\nthree\n')
      renameSync(join(fixture.folder, 'aside'), fixture.at(log))
      const { archive, report } = await run(fixture)
      expect(report).toMatchObject({ rewritten: 0, grown: 1 })
      const archived = archive.manifest.catalog.of(fixture.home, log)
      expect(archived.map(({ number, size }) => [number, size])).toEqual([
        [1, 8],
        [2, 10],
      ])
    })
  })

  it('lets a moved file keep all its generations, in their order', async () => {
    await withFixture(async fixture => {
      const ids: string[] = []
      for (const text of ['first\n', 'second\n', 'third\n']) {
        fixture.write(log, text)
        const { archive } = await run(fixture)
        ids.push(currentIn(archive, fixture, log).id)
      }
      const to = `projects/-q/${sessionA}.jsonl`
      mkdirSync(fixture.at('projects/-q'))
      renameSync(fixture.at(log), fixture.at(to))
      fixture.append(to, 'more\n')
      const { archive, report } = await run(fixture)
      expect(report).toMatchObject({ moved: 1, grown: 1, added: 0 })
      for (const seen of [archive, fixture.archive()]) {
        expect(seen.manifest.catalog.of(fixture.home, to).map(generation => generation.id)).toEqual(ids)
        expect(seen.manifest.catalog.of(fixture.home, log)).toEqual([])
        expect(String(await archivedBytes(seen, ids[0] ?? ''))).toBe('first\n')
      }
    })
  })

  it('takes a second name of a file for a file of its own, also where only that name was looked at', async () => {
    await withFixture(async fixture => {
      fixture.write(log, 'text\n')
      await run(fixture)
      mkdirSync(fixture.at('projects/-q'))
      for (const name of [sessionA, sessionB]) linkSync(fixture.at(log), fixture.at(`projects/-q/${name}.jsonl`))
      await run(fixture, { roots: [fixture.at('projects/-q')] })
      rmSync(fixture.at(log))
      const { archive } = await run(fixture)
      const paths = [log, `projects/-q/${sessionA}.jsonl`, `projects/-q/${sessionB}.jsonl`]
      expect(archivedPaths(archive)).toEqual(paths)
    })
  })

  it('takes one of two new names for the moved file and the other for a new one', async () => {
    await withFixture(async fixture => {
      fixture.write(log, 'text\n')
      const { archive: first } = await run(fixture)
      mkdirSync(fixture.at('projects/-q'))
      for (const name of [sessionA, sessionB]) linkSync(fixture.at(log), fixture.at(`projects/-q/${name}.jsonl`))
      rmSync(fixture.at(log))
      const { archive, report } = await run(fixture)
      expect(report).toMatchObject({ moved: 1, added: 1 })
      expect(archivedPaths(archive)).toEqual([`projects/-q/${sessionA}.jsonl`, `projects/-q/${sessionB}.jsonl`])
      expect(archive.manifest.catalog.generations.has(currentIn(first, fixture, log).id)).toBe(true)
    })
  })

  it('begins the numbers of a file again where another one was moved away', async () => {
    await withFixture(async fixture => {
      fixture.write(log, 'text\n')
      await run(fixture)
      renameSync(fixture.at(log), fixture.at(`projects/-p/${sessionB}.jsonl`))
      await run(fixture)
      fixture.write(log, 'other\n')
      const { archive } = await run(fixture)
      expect(currentIn(archive, fixture, log).number).toBe(1)
      expect(archive.manifest.catalog.generations.size).toBe(2)
    })
  })

  it('archives an empty file', async () => {
    await withFixture(async fixture => {
      fixture.write(log, '')
      const { archive, report } = await run(fixture)
      expect(report).toMatchObject({ added: 1, bytes: 0 })
      expect((await archivedBytes(archive, currentIn(archive, fixture, log).id)).length).toBe(0)
      expect((await run(fixture)).report.added).toBe(0)
    })
  })

  it('archives names of any kind', async () => {
    await withFixture(async fixture => {
      const names = ['plans/ü ö.md', 'plans/a\tb.md', 'plans/a\nb "c" \\d.md', 'plans/\u2028,"check":"00000000"}.md']
      for (const name of names) fixture.write(name, name)
      fixture.aheadMs = 10_000
      await run(fixture)
      const { archive, report } = await run(fixture)
      expect(report.added).toBe(0)
      expect(archivedPaths(archive)).toEqual([...names].sort())
      expect(archive.manifest.damage).toEqual([])
    })
  })

  it('commits in steps when it takes long, and loses nothing when it is stopped', async () => {
    await withFixture(async fixture => {
      for (let count = 0; count < 10; count++) fixture.write(`projects/-p/${count}.jsonl`, logBytes(count, 100))
      let now = Date.now()
      const archive = fixture.archive({ now: () => (now += 4000) })
      let asked = 0
      const report = await capture(archive, { roots: [fixture.home], isStopped: () => ++asked > 6 })
      expect(report.added).toBe(6)
      expect(segmentsIn(archive).length).toBeGreaterThan(1)
      expect(fixture.archive().manifest.catalog.generations.size).toBe(6)
      expect((await run(fixture)).report.added).toBe(4)
    })
  })

  it('heals a manifest that lost lines from the files that are still there', async () => {
    await withFixture(async fixture => {
      const other = `projects/-p/${sessionB}.jsonl`
      fixture.write(log, logBytes(1, 2000))
      fixture.write(other, logBytes(2, 2000))
      fixture.aheadMs = 10_000
      const { archive } = await run(fixture)
      fixture.append(log, logBytes(3, 2000))
      await run(fixture)
      rmSync(join(archive.layout.manifest, '00000002.jsonl'))
      fixture.write('history.jsonl', 'x\n')
      const { archive: healed } = await run(fixture)
      expect((await archivedBytes(healed, currentIn(healed, fixture, log).id)).equals(fixture.read(log))).toBe(true)
      rmSync(fixture.at(log))
      const { archive: last } = await run(fixture)
      expect((await archivedBytes(last, currentIn(last, fixture, log).id)).length).toBe(4000)
    })
  })

  it('archives what was broken when its file is moved, still as broken', async () => {
    await withFixture(async fixture => {
      fixture.write(log, 'first\n')
      const { archive } = await run(fixture)
      const broken = currentIn(archive, fixture, log)
      await archive.change('test', async manifest => {
        const line = {
          generation: broken.id,
          number: 1,
          home: fixture.home,
          path: log,
          size: 99,
          from: 50,
          frames: ['f'],
        }
        appendSegment(archive.ops, archive.layout, manifest, [line])
      })
      fixture.write(log, 'second\n')
      await run(fixture)
      renameSync(fixture.at(log), fixture.at(`projects/-p/${sessionB}.jsonl`))
      await run(fixture)
      const { catalog } = fixture.archive().manifest
      expect(catalog.broken.has(broken.id)).toBe(true)
      expect(catalog.generations.get(broken.id)).toMatchObject({ path: `projects/-p/${sessionB}.jsonl`, size: 99 })
      expect(catalog.generations.get(broken.id)?.frames[0]).toBe(broken.frames[0])
    })
  })
})

it('a generation whose frames are fewer bytes than it says is not continued, and nothing hangs', async () => {
  await withFixture(async fixture => {
    fixture.write(log, logBytes(1, 1000))
    const { archive } = await run(fixture)
    const known = currentIn(archive, fixture, log)
    await archive.change('test', async manifest => {
      const line = generationLine({ ...known, size: known.size + 50 }, 0, known.frames)
      appendSegment(archive.ops, archive.layout, manifest, [line])
    })
    fixture.write(log, logBytes(1, 1200))
    const { archive: after, report } = await run(fixture)
    expect(report.rewritten).toBe(1)
    expect((await archivedBytes(after, currentIn(after, fixture, log).id)).equals(logBytes(1, 1200))).toBe(true)
  })
})

it('a file that is gone is taken off the list of what was seen, whatever characters its name has', async () => {
  await withFixture(async fixture => {
    const odd = `projects/-p/${sessionA}/tool-results/a"b\\c.txt`
    for (const path of [log, odd]) fixture.write(path, logBytes(1, 100))
    const { archive } = await run(fixture)
    expect([...(readSeen(archive.layout)?.files.keys() ?? [])]).toHaveLength(2)
    rmSync(fixture.at(odd))
    fixture.write(log, logBytes(1, 200))
    await run(fixture)
    expect([...(readSeen(archive.layout)?.files.keys() ?? [])]).toHaveLength(1)
  })
})
