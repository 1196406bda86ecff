// Cuts the power behind every call that changes the disk, on a simulated disk that loses all it may lose, and on real file
// systems where the machine lets one be shut down. What was acknowledged before the cut must be there after it.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { realOps } from '../../src/files/ops.ts'
import { isDeep } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { faultCases, Place, PreparedPlace } from './fault-cases.ts'
import { damageOf, orphanLocks, quickOps, viewOf } from './faults.ts'
import { imagesBelow, logBytes, recordLine, sessionA, sessionB, sessionC } from './fixture.ts'
import { harmless, type Operation, operate, watchedOps } from './operate.ts'
import { everyCrashState, type SimulatedDisk } from './power-cut.ts'

let root: string

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'clew-cut-archive-')))
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** What is archived after this many calls. */
interface Milestone {
  issued: number
  view: string[]
}

/** Operations one after the other on the recording disk; what is archived is noted at the end of each. */
async function record(disk: SimulatedDisk, place: Place, steps: readonly (() => Operation)[]): Promise<Milestone[]> {
  const milestones: Milestone[] = [{ issued: 0, view: await viewOf(place.archiveFolder) }]
  for (const step of steps) {
    await operate(step(), disk)
    milestones.push({ issued: disk.issued, view: await viewOf(place.archiveFolder) })
  }
  return milestones
}

/** Between two milestones a run has archived some of what it is about to archive. */
async function checkCut(folder: string, cutAfter: number, milestones: readonly Milestone[]): Promise<void> {
  const view = await viewOf(folder)
  const done = milestones.findLastIndex(({ issued }) => issued <= cutAfter)
  const before = milestones[done]?.view ?? []
  const after = milestones[done + 1]?.view ?? before
  const lost = before.filter(line => !view.includes(line) && after.includes(line))
  if (lost.length > 0) throw new Error(`lost: ${lost.join(', ')}`)
  const strange = view.filter(line => !before.includes(line) && !after.includes(line))
  if (strange.length > 0) throw new Error(`never kept: ${strange.join(', ')}`)
  // What was to go, and what changed its place or size: one of the two is there.
  if (view.length < Math.min(before.length, after.length)) throw new Error('something is in neither form')
  expect(await damageOf(folder)).toEqual([])
}

/** A run after the cut archives everything that is in the home. */
async function checkLaterRun(folder: string, place: Place): Promise<void> {
  await operate({ kind: 'run', archive: folder, roots: [place.home] }, quickOps)
  expect(await damageOf(folder)).toEqual([])
  const view = await viewOf(folder)
  const isForgotten = view.some(line => line.startsWith('forgotten'))
  for (const [path, { bytes }] of imagesBelow(place.home)) {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const isKept = view.some(line => line.startsWith(`${path} `) && line.endsWith(sha256))
    if (!isKept && !(isForgotten && path.includes(sessionC))) throw new Error(`${path} was not archived by a later run`)
  }
}

describe('a power cut', () => {
  test('in runs, a prune and a forget loses nothing that was kept', { timeout: 180_000 }, async () => {
    const place = new Place({ folder: join(root, 'history') })
    const file = (name: string) => `projects/-home-mira-boat/${name}.jsonl`
    for (const [n, session] of [sessionA, sessionB, sessionC].entries()) {
      place.write(file(session), recordLine(session, '/home/mira/boat') + logBytes(n, 1500).toString('latin1'))
    }
    const { archiveFolder: archive } = place
    const run = (): Operation => ({ kind: 'run', archive, roots: [place.home] })
    const changed = (): Operation => {
      appendFileSync(place.at(file(sessionA)), logBytes(7, 900))
      truncateSync(place.at(file(sessionB)), 700)
      for (const session of [sessionA, sessionB]) place.settle(file(session))
      return run()
    }
    const pruned = (): Operation => ({ kind: 'prune', archive, rule: { keepGenerations: 1 } })
    const forgotten = (): Operation => ({ kind: 'forget', archive, session: sessionC })
    mkdirSync(join(place.folder, 'clew'))
    let milestones: Milestone[] = []
    const count = await everyCrashState(
      join(place.folder, 'clew'),
      async disk => {
        milestones = await record(disk, place, [run, changed, pruned, forgotten])
      },
      async (cut, cutAfter) => {
        await checkCut(join(cut, 'archive'), cutAfter, milestones)
        await checkLaterRun(join(cut, 'archive'), place)
      },
      { samplesPerCut: isDeep ? 6 : 1 },
    )
    reportSweep('power cut in the archive', count, 0)
    expect(count).toBeGreaterThan(isDeep ? 400 : 100)
  })

  const names = ['a run that joins packs', 'a run that meets what killed ones left']
  for (const name of names) {
    test(`in ${name} loses nothing that was kept`, { timeout: 120_000 }, async () => {
      const faultCase = faultCases.find(one => one.name === name)
      if (faultCase === undefined) throw new Error(`no case ${name}`)
      const { place, operation } = await PreparedPlace.make(join(root, name.replaceAll(' ', '-')), faultCase)
      let milestones: Milestone[] = []
      const count = await everyCrashState(
        join(place.folder, 'clew'),
        async disk => {
          milestones = await record(disk, place, [() => operation])
        },
        (cut, cutAfter) => checkCut(join(cut, 'archive'), cutAfter, milestones),
        { samplesPerCut: isDeep ? 5 : 1 },
      )
      reportSweep('power cut in the archive', count, 0)
      expect(count).toBeGreaterThan(isDeep ? 50 : 20)
    })
  }

  test('in a restore leaves whole files or none, and those it told of', { timeout: 120_000 }, async () => {
    const place = new Place({ folder: join(root, 'restore') })
    for (const n of [1, 2, 3]) place.write(`projects/-home-mira-boat/log-${n}.jsonl`, logBytes(n, 2000 * n))
    await place.capture()
    const expected = imagesBelow(place.home)
    const to = join(place.folder, 'disk', 'deep', 'restored')
    mkdirSync(join(place.folder, 'disk'))
    const dealtWith: number[] = []
    await everyCrashState(
      join(place.folder, 'disk'),
      async disk => {
        await operate({ kind: 'restore', archive: place.archiveFolder, to }, disk, what => {
          if (what === 'file') dealtWith.push(disk.issued)
        })
      },
      async (cut, cutAfter) => {
        const restored = join(cut, 'deep', 'restored')
        const found = existsSync(restored) ? [...imagesBelow(restored)] : []
        const named = found.filter(([path]) => !path.includes('clew-restore.tmp-'))
        for (const [path, { bytes }] of named) {
          if (expected.get(path)?.bytes.equals(bytes) !== true) throw new Error(`${path} is not whole`)
        }
        expect(named.length).toBeGreaterThanOrEqual(dealtWith.filter(issued => issued <= cutAfter).length)
      },
      { samplesPerCut: isDeep ? 8 : 1 },
    )
    expect(dealtWith).toHaveLength(3)
  })
})

/** A kind of file system, how to make one, and how to cut it off from its disk with all that it has not written. */
interface RealDisk {
  name: string
  megabytes: number
  make: string[]
  shutDown: (folder: string) => string[]
}

const shutDownScript = 'import fcntl,os,struct,sys;fcntl.ioctl(os.open(sys.argv[1],0),0x8004587d,struct.pack("I",2))'

const realDisks: readonly RealDisk[] = [
  {
    name: 'xfs',
    megabytes: 320,
    make: ['mkfs.xfs', '-q', '-f'],
    shutDown: folder => ['xfs_io', '-x', '-c', 'shutdown', folder],
  },
  {
    name: 'ext4',
    megabytes: 32,
    make: ['mkfs.ext4', '-q', '-F'],
    shutDown: folder => ['python3', '-c', shutDownScript, folder],
  },
]

function execute([program = '', ...args]: readonly string[]): void {
  execFileSync(program, args, { stdio: 'pipe' })
}

/** A file system in a file, mounted; the reason where that cannot be. */
function mountReal(kind: RealDisk, folder: string): { image: string; at: string } | string {
  const disk = { image: join(folder, `${kind.name}.img`), at: join(folder, kind.name) }
  try {
    execute(['truncate', '-s', `${kind.megabytes}M`, disk.image])
    execute([...kind.make, disk.image])
    mkdirSync(disk.at)
    execute(['mount', '-o', 'loop', disk.image, disk.at])
    try {
      // Once to see whether it can be done at all.
      execute(kind.shutDown(disk.at))
    } finally {
      execute(['umount', disk.at])
    }
    execute(['mount', '-o', 'loop', disk.image, disk.at])
    return disk
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n')
    return `needs a ${kind.name} file system that can be mounted and shut down (${reason})`
  }
}

describe('a file system that is shut down', () => {
  for (const kind of realDisks) {
    test(`has all that was archived when it is mounted again: ${kind.name}`, {
      tags: 'mount',
      timeout: 180_000,
    }, async ({ skip }) => {
      const folder = join(root, kind.name)
      mkdirSync(folder)
      const disk = mountReal(kind, folder)
      if (typeof disk === 'string') return skip(disk)
      try {
        let at = 1
        for (let isCut = true; isCut; at += isDeep ? 4 : 12)
          isCut = await cutReal(kind, disk, join(folder, `home-${at}`), at)
        expect(at).toBeGreaterThan(20)
      } finally {
        execute(['umount', disk.at])
      }
    })
  }

  /** One run that is archived, then one that is cut off before the call of this number; false where there are fewer. */
  async function cutReal(
    kind: RealDisk,
    disk: { image: string; at: string },
    home: string,
    at: number,
  ): Promise<boolean> {
    const place = new Place({ folder: home })
    const archive = join(disk.at, `archive-${at}`)
    const run: Operation = { kind: 'run', archive, roots: [place.home] }
    for (const n of [1, 2, 3]) place.write(`projects/-home-mira-boat/log-${n}.jsonl`, logBytes(n, 3000))
    await operate(run, realOps)
    const before = await viewOf(archive)
    for (const n of [3, 4, 5]) place.write(`projects/-home-mira-boat/log-${n}.jsonl`, logBytes(n + 10, 4000))
    let calls = 0
    let commits = 0
    const isDone = await operate(
      run,
      watchedOps(realOps, {
        before: call => {
          if (!harmless.has(call) && ++calls === at) execute(kind.shutDown(disk.at))
        },
      }),
      what => {
        if (what === 'commit') commits++
      },
    ).then(
      () => true,
      () => false,
    )
    execute(['umount', disk.at])
    execute(['mount', '-o', 'loop', disk.image, disk.at])
    const view = await viewOf(archive)
    for (const line of before) expect(view, `cut before call ${at}`).toContain(line)
    // Two files are committed at a time.
    expect(view.length).toBeGreaterThanOrEqual(before.length + commits)
    expect(await damageOf(archive), `cut before call ${at}`).toEqual([])
    orphanLocks(archive)
    await operate(run, realOps)
    expect(await viewOf(archive)).toHaveLength(before.length + 3)
    return !isDone
  }
})
