// Prune, forget and import are killed before every call that changes the disk. Afterwards all that was to stay is there,
// what was to go is there whole or not at all, and doing it again brings it to its end.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { forget } from '../../src/archive/maintain/forget.ts'
import { planPrune, prune } from '../../src/archive/maintain/prune.ts'
import type { Archive } from '../../src/archive/store/archive.ts'
import { importBackup } from '../../src/archive/transfer/import.ts'
import type { WriteOps } from '../../src/files/ops.ts'
import {
  archivedBytes,
  archivedPaths,
  type Fixture,
  logBytes,
  quickOps,
  recordLine,
  sessionA,
  sessionB,
  withFixture,
} from './fixture.ts'

const logOf = (session: string) => `projects/-home-mira-boat/${session}.jsonl`

/** Does nothing any more from call `limit` on, as if the process were gone. */
function dyingOps(limit: number): { ops: WriteOps; calls: () => number } {
  let calls = 0
  const alive = <Arguments extends unknown[], Value>(act: (...given: Arguments) => Value) => {
    return (...given: Arguments): Value => {
      if (++calls > limit) throw Object.assign(new Error('killed'), { code: 'EKILLED' })
      return act(...given)
    }
  }
  const { create, write, sync, close, rename, link, unlink } = quickOps
  const { makeFolder, removeFolder, syncFolder, setTimes, setMode } = quickOps
  const ops: WriteOps = {
    create: alive(create),
    write: alive(write),
    sync: alive(sync),
    close: alive(close),
    rename: alive(rename),
    link: alive(link),
    unlink: alive(unlink),
    makeFolder: alive(makeFolder),
    removeFolder: alive(removeFolder),
    syncFolder: alive(syncFolder),
    setTimes: alive(setTimes),
    setMode: alive(setMode),
  }
  return { ops, calls: () => calls }
}

interface Deed {
  prepare(fixture: Fixture): Promise<void>
  act(archive: Archive, fixture: Fixture): Promise<unknown>
  /** Paths that are there before and after. */
  before: string[]
  after: string[]
}

async function captureTwo(fixture: Fixture): Promise<void> {
  for (const [n, session] of [sessionA, sessionB].entries()) {
    const head = Buffer.from(recordLine(session, '/home/mira/boat'))
    fixture.write(logOf(session), Buffer.concat([head, logBytes(n, 200_000)]))
  }
  await capture(fixture.archive(), { roots: [fixture.home] })
  rmSync(fixture.at(logOf(sessionA)))
}

const deeds: Record<string, Deed> = {
  prune: {
    prepare: captureTwo,
    act: async archive => prune(archive, await planPrune(archive, { goneOnly: true })),
    before: [logOf(sessionA), logOf(sessionB)],
    after: [logOf(sessionB)],
  },
  forget: {
    prepare: captureTwo,
    act: archive => forget(archive, sessionA),
    before: [logOf(sessionA), logOf(sessionB)],
    after: [logOf(sessionB)],
  },
  import: {
    async prepare(fixture) {
      await captureTwo(fixture)
      mkdirSync(join(fixture.folder, 'old', 'projects', '-srv'), { recursive: true })
      writeFileSync(join(fixture.folder, 'old', 'projects', '-srv', 'x.jsonl'), recordLine('x', '/srv'))
    },
    act: (archive, fixture) => importBackup(archive, join(fixture.folder, 'old'), { as: fixture.home }),
    before: [logOf(sessionA), logOf(sessionB)],
    after: [logOf(sessionA), logOf(sessionB), 'projects/-srv/x.jsonl'],
  },
}

test.each(Object.keys(deeds))('%s survives a kill before each of its calls', async name => {
  const deed = deeds[name] as Deed
  let isDone = false
  let limit = 0
  for (; !isDone; limit++) {
    await withFixture(async fixture => {
      await deed.prepare(fixture)
      const { ops, calls } = dyingOps(limit)
      await deed.act(fixture.archive({ ops }), fixture).catch(() => {})
      isDone = calls() <= limit
      // The lock names this process, which is not gone.
      rmSync(join(fixture.archiveFolder, 'lock'), { force: true })
      const paths = archivedPaths(fixture.archive())
      expect([deed.before, deed.after], `after ${limit} calls`).toContainEqual(paths)
      expect(fixture.archive().manifest.damage).toEqual([])
      await expectWhole(fixture)
      await deed.act(fixture.archive(), fixture)
      expect(archivedPaths(fixture.archive()), `again after ${limit} calls`).toEqual(deed.after)
      await expectWhole(fixture)
      expect(readdirSync(fixture.archiveFolder).filter(entry => entry.includes('.tmp-'))).toEqual([])
    })
  }
  expect(limit).toBeGreaterThan(10)
})

async function expectWhole(fixture: Fixture): Promise<void> {
  const archive = fixture.archive()
  for (const { id, size } of archive.manifest.catalog.generations.values()) {
    expect((await archivedBytes(archive, id)).length).toBe(size)
  }
}
