// What may happen to two homes and to the archive between two refreshes, as data that fast-check can make and shrink. What
// happens to single files is the archive's business already; here is what only the index cares about.

import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { capture } from '../../src/archive/capture/capture.ts'
import { layoutOf } from '../../src/archive/format/layout.ts'
import { forget, remember } from '../../src/archive/maintain/forget.ts'
import { planPrune, prune } from '../../src/archive/maintain/prune.ts'
import { currentPath } from '../../src/index/store/open.ts'
import { Database } from '../../src/index/store/port.ts'
import { type Change, change, changes, paths } from '../archive/model-changes.ts'
import { sessionA, sessionB, type World } from '../archive/world.ts'
import type { IndexWorld } from './index-world.ts'
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

/** A file goes to the other home, or lies in both. */
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

const talk: fc.Arbitrary<TalkStep> = fc.record({
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

export const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: talk },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('file' as const), home, change: changes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cross' as const), home, path: log, isCopy: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('folder' as const), home, from: folder, to: folder }) },
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
export async function happen(world: IndexWorld, step: Step): Promise<void> {
  if (step.kind === 'file') change(homeOf(world, step.home), smaller(step.change))
  else if (step.kind === 'talk') speak(homeOf(world, step.home), step)
  else if (step.kind === 'cross') cross(world, step)
  else if (step.kind === 'folder') renameFolder(homeOf(world, step.home), step)
  else if (step.kind === 'checkpoints') spoilCheckpoints(world)
  else await changeArchive(world, step)
}

function homeOf({ one, two }: IndexWorld, home: number): World {
  return home === 0 ? one : two
}

/** Frames are the archive's matter: few files here need more than one batch. */
function smaller(step: Change): Change {
  const { seed, size } = step.content
  return { ...step, content: { seed, size: size > 400_000 && seed % 4 !== 0 ? size % 50_000 : size } }
}

function speak(world: World, { path, seed, turns, ending, isLong }: TalkStep): void {
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
  if (existsSync(world.at(path))) world.append(path, bytes)
  else world.write(path, bytes)
}

function cross(world: IndexWorld, { home, path, isCopy }: CrossStep): void {
  const from = homeOf(world, home).at(path)
  const to = homeOf(world, 1 - home).at(path)
  if (!existsSync(from) || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true })
  if (isCopy) copyFileSync(from, to)
  else renameSync(from, to)
}

function renameFolder(world: World, { from, to }: FolderStep): void {
  const target = world.at(`projects/${to}`)
  if (existsSync(world.at(`projects/${from}`)) && !existsSync(target)) renameSync(world.at(`projects/${from}`), target)
}

async function changeArchive(world: IndexWorld, { kind, session }: ArchiveStep): Promise<void> {
  const archive = world.archive()
  const roots = world.roots.filter(root => existsSync(root))
  if (kind === 'keep') await capture(archive, { roots })
  if (!archive.exists) return
  if (kind === 'forget') await forget(archive, session)
  else if (kind === 'remember') await remember(archive, session)
  else if (kind === 'prune-earlier') await prune(archive, await planPrune(archive, { keepGenerations: 1 }))
  else if (kind === 'prune-project') await prune(archive, await planPrune(archive, { projects: ['-q'] }))
  else if (kind === 'lose-seen') rmSync(layoutOf(join(world.home, 'archive')).seen, { force: true })
}

function spoilCheckpoints(world: IndexWorld): void {
  const path = currentPath(world.home)
  if (path === null) return
  const db = new Database(path)
  db.prepare('UPDATE checkpoint SET state = ?').run([new Uint8Array([255, 15, 1, 2, 3])])
  db.close()
}
