// What may happen to two homes and to the archive between two refreshes, as data that fast-check can make and shrink. What
// happens to single files is the archive's business already; here is what only the index cares about.

import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { capture } from '../../src/archive/capture/capture.ts'
import { layoutOf } from '../../src/archive/format/layout.ts'
import { forget, remember } from '../../src/archive/maintain/forget.ts'
import { planPrune, prune } from '../../src/archive/maintain/prune.ts'
import { noteClosed } from '../../src/index/store/closed.ts'
import { currentPath } from '../../src/index/store/open.ts'
import { Database } from '../../src/index/store/port.ts'
import { type Fixture, sessionA, sessionB } from '../archive/fixture.ts'
import { type Change, change, changes, paths } from '../archive/model-changes.ts'
import fc from '../property.ts'
import type { IndexFixture } from './index-fixture.ts'
import { endings, talkBytes } from './talk.ts'

const logs = paths.filter(path => path.endsWith('.jsonl'))
const cwds = ['/home/mira/boat', '/home/mira/choir']

interface FileStep {
  kind: 'file'
  home: number
  change: Change
}

interface TalkStep {
  kind: 'talk'
  home: number
  path: string
  seed: number
  turns: number
  ending: (typeof endings)[number]
  isLong: boolean
}

/** A file goes to the other home, or is in both. */
interface CrossStep {
  kind: 'cross'
  home: number
  path: string
  isCopy: boolean
}

interface FolderStep {
  kind: 'folder'
  home: number
  from: string
  to: string
}

interface ArchiveStep {
  kind: 'keep' | 'forget' | 'remember' | 'prune-earlier' | 'prune-project' | 'lose-seen'
  session: string
}

/** What is derived only and may be anything. */
interface SpoilStep {
  kind: 'checkpoints'
}

export type Step = FileStep | TalkStep | CrossStep | FolderStep | ArchiveStep | SpoilStep

const home = fc.nat(1)
const log = fc.constantFrom(...logs)

export const talk: fc.Arbitrary<TalkStep> = fc.record({
  kind: fc.constant('talk' as const),
  home,
  path: log,
  seed: fc.nat(11),
  turns: fc.integer({ min: 1, max: 6 }),
  ending: fc.constantFrom(...endings),
  isLong: fc.nat(40).map(n => n === 0),
})

const session = fc.constantFrom(sessionA, sessionB)
const folder = fc.constantFrom('-p', '-q', '-r')

export const fileChange: fc.Arbitrary<FileStep> = fc.record({
  kind: fc.constant('file' as const),
  home,
  change: changes,
})

export const cross: fc.Arbitrary<CrossStep> = fc.record({
  kind: fc.constant('cross' as const),
  home,
  path: log,
  isCopy: fc.boolean(),
})

export const folderMove: fc.Arbitrary<FolderStep> = fc.record({
  kind: fc.constant('folder' as const),
  home,
  from: folder,
  to: folder,
})

export const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: talk },
  { weight: 8, arbitrary: fileChange },
  { weight: 2, arbitrary: cross },
  { weight: 1, arbitrary: folderMove },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('keep', 'forget', 'remember', 'prune-earlier', 'prune-project', 'lose-seen'),
      session,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('checkpoints' as const) }) },
)

/** Does it, where it is possible; else nothing. */
export async function happen(fixture: IndexFixture, step: Step): Promise<void> {
  if (step.kind === 'file') change(homeOf(fixture, step.home), smaller(step.change))
  else if (step.kind === 'talk') speak(homeOf(fixture, step.home), step)
  else if (step.kind === 'cross') crossHomes(fixture, step)
  else if (step.kind === 'folder') renameFolder(homeOf(fixture, step.home), step)
  else if (step.kind === 'checkpoints') spoilCheckpoints(fixture)
  else await changeArchive(fixture, step)
}

function homeOf({ one, two }: IndexFixture, home: number): Fixture {
  return home === 0 ? one : two
}

/** Frames are the archive's matter: few files here need more than one batch. */
function smaller(step: Change): Change {
  const { seed, size } = step.content
  return { ...step, content: { seed, size: size > 400_000 && seed % 4 !== 0 ? size % 50_000 : size } }
}

function speak(fixture: Fixture, { path, seed, turns, ending, isLong }: TalkStep): void {
  const agent = /agent-(\w+)\.jsonl$/.exec(path)?.[1]
  const session = path.includes(sessionB) ? sessionB : sessionA
  const cwd = cwds[path.includes('/-q/') ? 1 : 0] ?? ''
  const bytes = talkBytes({
    session,
    seed,
    turns,
    ending,
    cwd,
    ...(agent !== undefined && { agent }),
    ...(isLong && { long: 1_300_000 }),
  })
  if (existsSync(fixture.at(path))) fixture.append(path, bytes)
  else fixture.write(path, bytes)
}

function crossHomes(fixture: IndexFixture, { home, path, isCopy }: CrossStep): void {
  const from = homeOf(fixture, home).at(path)
  const to = homeOf(fixture, 1 - home).at(path)
  if (!existsSync(from) || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true })
  if (isCopy) copyFileSync(from, to)
  else renameSync(from, to)
}

function renameFolder(fixture: Fixture, { from, to }: FolderStep): void {
  const target = fixture.at(`projects/${to}`)
  if (existsSync(fixture.at(`projects/${from}`)) && !existsSync(target))
    renameSync(fixture.at(`projects/${from}`), target)
}

async function changeArchive(fixture: IndexFixture, { kind, session }: ArchiveStep): Promise<void> {
  const archive = fixture.archive()
  const roots = fixture.roots.filter(root => existsSync(root))
  if (kind === 'keep') await capture(archive, { roots })
  if (!archive.exists) return
  if (kind === 'forget') await forget(archive, session)
  else if (kind === 'remember') await remember(archive, session)
  else if (kind === 'prune-earlier') await prune(archive, await planPrune(archive, { keepGenerations: 1 }))
  else if (kind === 'prune-project') await prune(archive, await planPrune(archive, { projects: ['-q'] }))
  else if (kind === 'lose-seen') rmSync(layoutOf(join(fixture.home, 'archive')).seen, { force: true })
}

function spoilCheckpoints(fixture: IndexFixture): void {
  const path = currentPath(fixture.home)
  if (path === null) return
  const db = new Database(path)
  db.prepare('UPDATE checkpoint SET state = ?').run([new Uint8Array([255, 15, 1, 2, 3])])
  db.close()
  // As if a refresh had written it: what something else writes is found by the look of the file.
  noteClosed(path)
}
