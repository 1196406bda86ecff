import { chmodSync, lstatSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  archivedBytes,
  archivedPaths,
  currentIn,
  everythingBelow,
  logBytes,
  quickOps,
  recordLine,
  run,
  sessionA,
  sessionB,
  withFixture,
} from '../../../test/archive/fixture.ts'
import { realOps } from '../../files/ops.ts'
import { appendSegment } from '../format/manifest.ts'
import { capture } from './capture.ts'

const log = `projects/-p/${sessionA}.jsonl`

describe('what cannot be archived', () => {
  it('is reported where a file vanished after it was seen, and the rest is archived', async () => {
    await withFixture(async fixture => {
      const second = `projects/-p/${sessionB}.jsonl`
      fixture.write(log, 'first\n')
      fixture.write(second, 'second\n')
      utimesSync(fixture.at(log), 1, 1)
      let asked = 0
      const { archive, report } = await run(fixture, {
        isStopped: () => {
          if (++asked === 2) rmSync(fixture.at(second))
          return false
        },
      })
      expect(report.findings).toMatchObject([{ code: 'vanished-file', file: fixture.at(second) }])
      expect(report.added).toBe(1)
      expect(archivedPaths(archive)).toEqual([log])
    })
  })

  it('is reported where a link or a FIFO took the place of a file, and nothing is read through it', async () => {
    await withFixture(async fixture => {
      const secret = join(fixture.folder, 'secret')
      writeFileSync(secret, 'secret\n')
      fixture.write(log, 'first\n')
      const { archive, report } = await run(fixture, {
        isStopped: () => {
          rmSync(fixture.at(log))
          symlinkSync(secret, fixture.at(log))
          return false
        },
      })
      expect(report.findings).toMatchObject([{ code: 'unreadable-file', file: fixture.at(log) }])
      expect(archive.manifest.catalog.generations.size).toBe(0)
    })
  })

  it('is reported where a file may not be read, and the rest is archived', async () => {
    await withFixture(async fixture => {
      const closed = `projects/-p/${sessionB}.jsonl`
      fixture.write(log, 'first\n')
      chmodSync(fixture.write(closed, 'second\n'), 0)
      for (const folder of [fixture.folder, fixture.home]) chmodSync(folder, 0o777)
      const isRoot = process.getuid?.() === 0
      if (isRoot) process.seteuid?.(65_534)
      try {
        const { archive, report } = await run(fixture)
        expect(report.findings).toMatchObject([{ code: 'unreadable-file', file: fixture.at(closed) }])
        expect(report.findings[0]?.message).toContain('EACCES')
        expect(archivedPaths(archive)).toEqual([log])
      } finally {
        if (isRoot) process.seteuid?.(0)
      }
      // What could not be read is tried again.
      chmodSync(fixture.at(closed), 0o644)
      expect((await run(fixture)).report.added).toBe(1)
    })
  })

  it('never is a file that was cut after it was read: both are archived', async () => {
    await withFixture(async fixture => {
      fixture.write(log, logBytes(1, 5_000_000))
      const cut = () => truncateSync(fixture.at(log), 1000)
      await run(fixture, { progress: cut })
      const { archive } = await run(fixture)
      expect(archive.manifest.catalog.of(fixture.home, log).map(({ size }) => size)).toEqual([5_000_000, 1000])
      expect((await archivedBytes(archive, currentIn(archive, fixture, log).id)).equals(logBytes(1, 1000))).toBe(true)
    })
  })

  it('never is a file that is cut while it is read: what is there then is archived', async () => {
    await withFixture(async fixture => {
      fixture.write(log, logBytes(1, 20_000_000))
      const ops = { ...quickOps }
      ops.write = (file, bytes) => {
        truncateSync(fixture.at(log), 1000)
        quickOps.write(file, bytes)
      }
      const archive = fixture.archive({ ops })
      const report = await capture(archive, { roots: [fixture.home] })
      expect(report).toMatchObject({ added: 1, bytes: 1000, findings: [] })
      expect((await archivedBytes(archive, currentIn(archive, fixture, log).id)).equals(logBytes(1, 1000))).toBe(true)
    })
  })
})

describe('rules', () => {
  it('leave out excluded projects and take them in again when they are lifted', async () => {
    await withFixture(async fixture => {
      fixture.write(log, recordLine(sessionA, '/srv/secret'))
      fixture.write(`todos/${sessionA}.json`, '{}')
      // Older than the session file, and working elsewhere: still the session's.
      const agent = `projects/-p/${sessionA}/subagents/agent-1.jsonl`
      fixture.write(agent, recordLine(sessionA, '/tmp/worktree'))
      utimesSync(fixture.at(agent), 1, 1)
      const open = `projects/-q/${sessionB}.jsonl`
      fixture.write(open, recordLine(sessionB, '/srv/secret-not'))
      fixture.aheadMs = 10_000
      for (let count = 0; count < 2; count++) {
        const { archive, report } = await run(fixture, { exclude: ['/srv/secret'] })
        expect(report.leftOut).toBe(3)
        expect(archivedPaths(archive)).toEqual([open])
      }
      const { archive, report } = await run(fixture)
      expect(report).toMatchObject({ leftOut: 0, added: 3 })
      expect(archivedPaths(archive)).toHaveLength(4)
      // Excluded again, what is archived stays; nothing new comes in.
      fixture.append(log, recordLine(sessionA, '/srv/secret'))
      const again = await run(fixture, { exclude: ['/srv/secret'] })
      expect(again.report).toMatchObject({ leftOut: 3, grown: 0 })
      expect(archivedPaths(again.archive)).toHaveLength(4)
    })
  })

  it('leave out what was forgotten', async () => {
    await withFixture(async fixture => {
      fixture.write(log, recordLine(sessionA, '/p'))
      fixture.write(`projects/-p/${sessionB}.jsonl`, recordLine(sessionB, '/p'))
      const archive = fixture.archive()
      await archive.change('test', async manifest => {
        appendSegment(archive.ops, archive.layout, manifest, [{ forgotten: sessionA }])
      })
      const { archive: after, report } = await run(fixture)
      expect(report).toMatchObject({ leftOut: 1, added: 1 })
      expect(archivedPaths(after)).toEqual([`projects/-p/${sessionB}.jsonl`])
    })
  })
})

describe('what the archive writes', () => {
  it.each(['000', '022', '077'])('is for the owner alone with a umask of %s', async mask => {
    const before = process.umask(Number.parseInt(mask, 8))
    try {
      await withFixture(async fixture => {
        fixture.aheadMs = 10_000
        for (let count = 0; count < 20; count++) {
          fixture.write(log, logBytes(count, 100))
          const archive = fixture.archive({ ops: realOps })
          const report = await capture(archive, { roots: [fixture.home] })
          expect(report.failure).toBeUndefined()
        }
        for (const path of ['', ...everythingBelow(fixture.archiveFolder)]) {
          const facts = lstatSync(join(fixture.archiveFolder, path))
          const mode = (facts.mode & 0o7777).toString(8)
          expect([path, mode]).toEqual([path, facts.isDirectory() ? '700' : '600'])
        }
        expect(everythingBelow(fixture.archiveFolder)).toEqual(
          expect.arrayContaining(['README.txt', 'manifest', 'packs', 'seen.tsv']),
        )
      })
    } finally {
      process.umask(before)
    }
  })
})
