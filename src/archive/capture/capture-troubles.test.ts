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
  withWorld,
} from '../../../test/archive/world.ts'
import { appendSegment } from '../format/manifest.ts'
import { realOps } from '../store/ops.ts'
import { capture } from './capture.ts'

const log = `projects/-p/${sessionA}.jsonl`

describe('what cannot be archived', () => {
  it('is reported where a file vanished after it was seen, and the rest is archived', async () => {
    await withWorld(async world => {
      const second = `projects/-p/${sessionB}.jsonl`
      world.write(log, 'first\n')
      world.write(second, 'second\n')
      utimesSync(world.at(log), 1, 1)
      let asked = 0
      const { archive, report } = await run(world, {
        isStopped: () => {
          if (++asked === 2) rmSync(world.at(second))
          return false
        },
      })
      expect(report.findings).toMatchObject([{ code: 'vanished-file', file: world.at(second) }])
      expect(report.added).toBe(1)
      expect(archivedPaths(archive)).toEqual([log])
    })
  })

  it('is told where a link or a FIFO took the place of a file, and nothing is read through it', async () => {
    await withWorld(async world => {
      const secret = join(world.root, 'secret')
      writeFileSync(secret, 'secret\n')
      world.write(log, 'first\n')
      const { archive, report } = await run(world, {
        isStopped: () => {
          rmSync(world.at(log))
          symlinkSync(secret, world.at(log))
          return false
        },
      })
      expect(report.findings).toMatchObject([{ code: 'unreadable-file', file: world.at(log) }])
      expect(archive.manifest.catalog.generations.size).toBe(0)
    })
  })

  it('is reported where a file may not be read, and the rest is archived', async () => {
    await withWorld(async world => {
      const closed = `projects/-p/${sessionB}.jsonl`
      world.write(log, 'first\n')
      chmodSync(world.write(closed, 'second\n'), 0)
      for (const folder of [world.root, world.home]) chmodSync(folder, 0o777)
      const isRoot = process.getuid?.() === 0
      if (isRoot) process.seteuid?.(65_534)
      try {
        const { archive, report } = await run(world)
        expect(report.findings).toMatchObject([{ code: 'unreadable-file', file: world.at(closed) }])
        expect(report.findings[0]?.message).toContain('EACCES')
        expect(archivedPaths(archive)).toEqual([log])
      } finally {
        if (isRoot) process.seteuid?.(0)
      }
      // What could not be read is tried again.
      chmodSync(world.at(closed), 0o644)
      expect((await run(world)).report.added).toBe(1)
    })
  })

  it('never is a file that was cut after it was read: both are archived', async () => {
    await withWorld(async world => {
      world.write(log, logBytes(1, 5_000_000))
      const cut = () => truncateSync(world.at(log), 1000)
      await run(world, { progress: cut })
      const { archive } = await run(world)
      expect(archive.manifest.catalog.of(world.home, log).map(({ size }) => size)).toEqual([5_000_000, 1000])
      expect((await archivedBytes(archive, currentIn(archive, world, log).id)).equals(logBytes(1, 1000))).toBe(true)
    })
  })

  it('never is a file that is cut while it is read: what is there then is archived', async () => {
    await withWorld(async world => {
      world.write(log, logBytes(1, 20_000_000))
      const ops = { ...quickOps }
      ops.write = (file, bytes) => {
        truncateSync(world.at(log), 1000)
        quickOps.write(file, bytes)
      }
      const archive = world.archive({ ops })
      const report = await capture(archive, { roots: [world.home] })
      expect(report).toMatchObject({ added: 1, bytes: 1000, findings: [] })
      expect((await archivedBytes(archive, currentIn(archive, world, log).id)).equals(logBytes(1, 1000))).toBe(true)
    })
  })
})

describe('rules', () => {
  it('leave out excluded projects and take them in again when they are lifted', async () => {
    await withWorld(async world => {
      world.write(log, recordLine(sessionA, '/srv/secret'))
      world.write(`todos/${sessionA}.json`, '{}')
      // Older than the session file, and working elsewhere: still the session's.
      const agent = `projects/-p/${sessionA}/subagents/agent-1.jsonl`
      world.write(agent, recordLine(sessionA, '/tmp/worktree'))
      utimesSync(world.at(agent), 1, 1)
      const open = `projects/-q/${sessionB}.jsonl`
      world.write(open, recordLine(sessionB, '/srv/secret-not'))
      world.aheadMs = 10_000
      for (let count = 0; count < 2; count++) {
        const { archive, report } = await run(world, { exclude: ['/srv/secret'] })
        expect(report.leftOut).toBe(3)
        expect(archivedPaths(archive)).toEqual([open])
      }
      const { archive, report } = await run(world)
      expect(report).toMatchObject({ leftOut: 0, added: 3 })
      expect(archivedPaths(archive)).toHaveLength(4)
      // Excluded again, what is archived stays; nothing new comes in.
      world.append(log, recordLine(sessionA, '/srv/secret'))
      const again = await run(world, { exclude: ['/srv/secret'] })
      expect(again.report).toMatchObject({ leftOut: 3, grown: 0 })
      expect(archivedPaths(again.archive)).toHaveLength(4)
    })
  })

  it('leave out what was forgotten', async () => {
    await withWorld(async world => {
      world.write(log, recordLine(sessionA, '/p'))
      world.write(`projects/-p/${sessionB}.jsonl`, recordLine(sessionB, '/p'))
      const archive = world.archive()
      await archive.change('test', async manifest => {
        appendSegment(archive.ops, archive.layout, manifest, [{ forgotten: sessionA }])
      })
      const { archive: after, report } = await run(world)
      expect(report).toMatchObject({ leftOut: 1, added: 1 })
      expect(archivedPaths(after)).toEqual([`projects/-p/${sessionB}.jsonl`])
    })
  })
})

describe('what the archive writes', () => {
  it.each(['000', '022', '077'])('is for the owner alone with a umask of %s', async mask => {
    const before = process.umask(Number.parseInt(mask, 8))
    try {
      await withWorld(async world => {
        world.aheadMs = 10_000
        for (let count = 0; count < 20; count++) {
          world.write(log, logBytes(count, 100))
          const archive = world.archive({ ops: realOps })
          const report = await capture(archive, { roots: [world.home] })
          expect(report.failure).toBeUndefined()
        }
        for (const path of ['', ...everythingBelow(world.folder)]) {
          const facts = lstatSync(join(world.folder, path))
          const mode = (facts.mode & 0o7777).toString(8)
          expect([path, mode]).toEqual([path, facts.isDirectory() ? '700' : '600'])
        }
        expect(everythingBelow(world.folder)).toEqual(
          expect.arrayContaining(['README.txt', 'manifest', 'packs', 'seen.tsv']),
        )
      })
    } finally {
      process.umask(before)
    }
  })
})
