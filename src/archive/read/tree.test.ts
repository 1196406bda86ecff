import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Fixture, recordLine, run, sessionA, sessionB, withFixture } from '../../../test/archive/fixture.ts'
import { clientHomes, corpusFolder, publicHome } from '../../../test/needs.ts'
import { discover } from '../../disk/discover/discover.ts'
import type { Discovery } from '../../model/source.ts'
import { capture } from '../capture/capture.ts'
import type { Archive } from '../store/archive.ts'
import { archiveSource } from './source.ts'
import { type ArchiveTreeOptions, archiveTree } from './tree.ts'

const log = `projects/-p/${sessionA}.jsonl`

function treeOf(archive: Archive, options: Partial<ArchiveTreeOptions> = {}) {
  return archiveTree(archive, { source: archiveSource(archive), ...options })
}

const bySteadyText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** All that was found, without what shows where the bytes are. */
function shapeOf({ sessions, histories, strays }: Discovery) {
  const plain = <File extends object>(files: readonly File[]) =>
    files.map(file => ({ ...file, generation: '', isArchiveOnly: false, modifiedMs: 0 })).sort(bySteadyText)
  const found = sessions.map(session => ({ ...session, logs: plain(session.logs), side: plain(session.side) }))
  return { sessions: found.sort(bySteadyText), histories: plain(histories), strays: plain(strays) }
}

async function expectSame(fixture: Fixture, root: string): Promise<Discovery> {
  const archive = fixture.archive()
  const { findings } = await capture(archive, { roots: [root] })
  expect(findings).toEqual([])
  const live = await discover(root)
  const archived = await discover(root, treeOf(archive, { isLive: false }))
  expect(shapeOf(archived)).toEqual(shapeOf(live))
  return archived
}

function copyOf(fixture: Fixture, folder: string): string {
  const copy = join(fixture.folder, 'copy')
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

describe('a tree of archived files', () => {
  it('shows for the sample history what is on disk, and all of it again when it is deleted', async () => {
    await withFixture(async fixture => {
      const home = copyOf(fixture, resolve('samples/home'))
      const before = await expectSame(fixture, home)
      expect(before.sessions.length).toBeGreaterThan(8)
      const files = before.sessions.flatMap(session => [...session.logs, ...session.side])
      expect(files.length).toBeGreaterThan(20)
      expect(files.every(file => file.isArchiveOnly === true)).toBe(true)
      // Some are deleted, by Claude Code's own clean-up, say.
      const live = shapeOf(await discover(home))
      rmSync(join(home, 'projects', '-home-mira-bakery'), { recursive: true })
      rmSync(join(home, 'todos'), { recursive: true })
      const archive = fixture.archive()
      const after = await discover(home, treeOf(archive))
      expect(shapeOf(after)).toEqual(live)
      for (const file of after.sessions.flatMap(session => [...session.logs, ...session.side])) {
        expect([file.path, file.isArchiveOnly === true]).toEqual([file.path, !existsSync(file.path)])
      }
      // All are deleted, the home with them.
      rmSync(home, { recursive: true })
      expect(shapeOf(await discover(home, treeOf(archive)))).toEqual(live)
    })
  })

  it('shows for real logs what is on disk', { tags: ['corpus', 'deep'], timeout: 120_000 }, async () => {
    for (const root of [...clientHomes, publicHome, join(corpusFolder, 'resume')]) {
      await withFixture(async fixture => {
        const { sessions } = await expectSame(fixture, root)
        expect(sessions.length).toBeGreaterThan(0)
      })
    }
  })

  it('shows for parts of a home what is on disk', async () => {
    for (const part of ['projects', 'projects/-home-mira-bakery', 'projects/-home-mira-choir']) {
      await withFixture(async fixture => {
        const home = copyOf(fixture, resolve('samples/home'))
        await capture(fixture.archive(), { roots: [home] })
        await expectSame(fixture, join(home, part))
      })
    }
  })

  it('hides a archived file behind a live one, whatever happened to that', async () => {
    await withFixture(async fixture => {
      fixture.write(log, recordLine(sessionA, '/p', 'old'))
      await run(fixture)
      fixture.write(log, recordLine(sessionB, '/p', 'another'))
      const { sessions } = await discover(fixture.home, treeOf(fixture.archive()))
      expect(sessions.map(session => session.id)).toEqual([sessionB])
      expect(sessions[0]?.logs[0]?.isArchiveOnly).toBeUndefined()
      expect(sessions[0]?.logs[0]?.generation).toMatch(/^disk:/)
    })
  })

  it('shows the current generation, or the one that is chosen', async () => {
    await withFixture(async fixture => {
      for (const session of [sessionA, sessionB]) {
        fixture.write(log, recordLine(session, '/p'))
        await run(fixture)
      }
      rmSync(fixture.at(log))
      const archive = fixture.archive()
      const { sessions } = await discover(fixture.home, treeOf(archive))
      expect(sessions.map(session => session.id)).toEqual([sessionB])
      const first = await discover(fixture.home, treeOf(archive, { choose: generations => generations[0] }))
      expect(first.sessions.map(session => session.id)).toEqual([sessionA])
    })
  })

  it('finds archived files by any spelling of their place', async () => {
    await withFixture(async fixture => {
      fixture.write(log, recordLine(sessionA, '/p'))
      await run(fixture)
      rmSync(fixture.at('projects'), { recursive: true })
      const link = join(fixture.folder, 'link')
      symlinkSync(fixture.home, link)
      for (const root of [fixture.home, `${fixture.home}/`, join(fixture.home, '..', '.claude'), link]) {
        const { sessions } = await discover(root, treeOf(fixture.archive()))
        expect([root, sessions.map(session => session.id)]).toEqual([root, [sessionA]])
      }
      const { sessions } = await discover(fixture.at(log), treeOf(fixture.archive()))
      expect(sessions[0]?.logs[0]).toMatchObject({ path: fixture.at(log), isArchiveOnly: true })
    })
  })

  it('needs no look into archived logs to find their sessions', async () => {
    await withFixture(async fixture => {
      fixture.write(log, recordLine(sessionA, '/p'))
      const { archive } = await run(fixture)
      rmSync(fixture.at(log))
      const closed = () => expect.fail('a byte was asked for')
      const tree = archiveTree(archive, { source: { read: closed, readSync: closed } })
      expect((await discover(fixture.home, tree)).sessions.map(session => session.id)).toEqual([sessionA])
    })
  })

  it('shows what is on disk where nothing was ever archived, and misses what is nowhere', async () => {
    await withFixture(async fixture => {
      fixture.write(log, recordLine(sessionA, '/p'))
      const tree = treeOf(fixture.archive())
      expect((await discover(fixture.home, tree)).sessions).toHaveLength(1)
      await expect(tree.list(fixture.at('nothing'))).rejects.toMatchObject({ code: 'ENOENT' })
      expect(() => tree.stat(fixture.at('nothing'))).toThrow('ENOENT')
      await expect(treeOf(fixture.archive(), { isLive: false }).list(fixture.home)).rejects.toMatchObject({
        code: 'ENOENT',
      })
    })
  })

  it('shows a folder that took the place of a file, and the files in it', async () => {
    await withFixture(async fixture => {
      const place = `projects/-p/${sessionA}`
      fixture.write(place, 'a file of that name')
      await run(fixture)
      rmSync(fixture.at(place))
      mkdirSync(fixture.at(place))
      writeFileSync(join(fixture.at(place), 'in.txt'), 'in')
      await run(fixture)
      rmSync(fixture.at('projects'), { recursive: true })
      const tree = treeOf(fixture.archive())
      expect((await tree.list(fixture.at(place))).map(entry => entry.name)).toEqual(['in.txt'])
      expect(tree.stat(join(fixture.at(place), 'in.txt'))).toMatchObject({ kind: 'file', size: 2 })
      expect(await tree.list(fixture.at('projects/-p'))).toMatchObject([{ name: sessionA, kind: 'folder' }])
    })
  })
})
