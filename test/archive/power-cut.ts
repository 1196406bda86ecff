// Power cuts: from a record of writes, what could be found on the disk after a cut at any point. It models what a file system owes (fsync of file and folder), not what a particular one happens to do.
//
//   data:   what was written to a file since its last sync may be missing, cut short, zeros, or have a hole
//   names:  any subset of a folder's changes since its last sync may have happened; one change happens or does not

import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyChange, type DiskLog, type Node, rootNode, SimulatedDisk } from './simulated-disk.ts'

export { SimulatedDisk }

interface FoundFile {
  bytes: Uint8Array
  mode: number
  /** Null when it was written during the recording. */
  mtimeMs: number | null
}

/** What a cut left: whole paths below the root, `/` between the names. */
export interface CrashState {
  /** This many operations had been issued. */
  cutAfter: number
  /** What the disk did with them, for messages. */
  story: string
  files: Map<string, FoundFile>
  folders: Map<string, number>
}

/** How the disk treats the unsure part of a file. */
type Fate = 'lost' | 'whole' | 'zeros' | 'prefix' | 'hole'
const fates: readonly Fate[] = ['lost', 'whole', 'zeros', 'prefix', 'hole']

/** Four states that matter most for every cut, then random ones; equal ones are given once. */
const plain: { hasNames: boolean; fate: Fate }[] = [
  { hasNames: true, fate: 'whole' },
  { hasNames: true, fate: 'lost' },
  { hasNames: true, fate: 'zeros' },
  { hasNames: false, fate: 'lost' },
]

/** What could be found after a cut behind each operation (0: before the first). */
export function* crashStates(log: DiskLog, options: { seed: number; samplesPerCut: number }): Generator<CrashState> {
  const random = randomFrom(options.seed)
  const promises = promisesOf(log)
  for (let cut = 0; cut <= log.ops.length; cut++) {
    const seen = new Set<string>()
    for (let sample = 0; sample < options.samplesPerCut; sample++) {
      const fixed = plain[sample]
      const state = crashState(log, promises, cut, {
        happens: () => fixed?.hasNames ?? random() < 0.5,
        fate: () => fixed?.fate ?? fates[Math.floor(random() * fates.length)] ?? 'lost',
        random,
      })
      if (seen.has(state.story)) continue
      seen.add(state.story)
      yield state
    }
  }
}

interface Written {
  bytes: Uint8Array
  at: number
  /** The sync after which the disk owes it; Infinity when there was none. */
  sureAt: number
}

/** For each recorded operation on names and each write: which later operation makes it sure. */
interface Promises {
  names: number[]
  writes: Map<Node, Written[]>
}

function promisesOf({ ops }: DiskLog): Promises {
  const names: number[] = new Array(ops.length).fill(Number.POSITIVE_INFINITY)
  const writes = new Map<Node, Written[]>()
  const fileSync = new Map<Node, number>()
  const folderSync = new Map<Node, number>()
  for (const [at, op] of [...ops.entries()].reverse()) {
    if (op.op === 'sync') fileSync.set(op.node, at)
    else if (op.op === 'syncFolder') folderSync.set(op.node, at)
    else if (op.op === 'write') {
      const list = writes.get(op.node) ?? []
      writes.set(op.node, list)
      list.unshift({ bytes: op.bytes, at, sureAt: fileSync.get(op.node) ?? Number.POSITIVE_INFINITY })
    } else if (op.op === 'names') {
      names[at] = Math.max(...op.changes.map(({ folder }) => folderSync.get(folder) ?? Number.POSITIVE_INFINITY))
    }
  }
  return { names, writes }
}

/** Decides what becomes of everything unsure. */
interface Chance {
  happens(): boolean
  fate(): Fate
  random(): number
}

function crashState(log: DiskLog, promises: Promises, cut: number, chance: Chance): CrashState {
  const story: string[] = []
  const folders = new Map([...log.base.folders].map(([node, { entries }]) => [node, new Map(entries)]))
  const modes = new Map([...log.base.folders].map(([node, { mode }]) => [node, mode]))
  const files = new Map<Node, FoundFile>(log.base.files)
  for (const [at, op] of log.ops.slice(0, cut).entries()) {
    if (op.op !== 'names') continue
    if (op.made?.kind === 'folder') {
      folders.set(op.made.node, new Map())
      modes.set(op.made.node, op.made.mode)
    } else if (op.made) {
      const [bytes, change] = contentAfter(promises.writes.get(op.made.node) ?? [], cut, chance)
      files.set(op.made.node, { mode: op.made.mode, mtimeMs: null, bytes })
      if (change !== '') story.push(`the file made by operation ${at} has ${change}`)
    }
    if ((promises.names[at] ?? 0) < cut || chance.happens())
      for (const change of op.changes) applyChange(folders, change)
    else story.push(`operation ${at} (${op.call}) did not happen`)
  }
  const state = reachable(files, folders, modes)
  return { cutAfter: cut, story: story.join('; ') || 'nothing was lost', ...state }
}

/** A file's bytes after the cut, and a word on what is wrong with them. */
function contentAfter(written: readonly Written[], cut: number, chance: Chance): [Uint8Array, string] {
  const done = written.filter(({ at }) => at < cut)
  const sure = Buffer.concat(done.filter(({ sureAt }) => sureAt < cut).map(({ bytes }) => bytes))
  const unsure = Buffer.concat(done.filter(({ sureAt }) => sureAt >= cut).map(({ bytes }) => bytes))
  const fate = unsure.length === 0 ? 'whole' : chance.fate()
  const sector = Math.floor(chance.random() * Math.ceil(unsure.length / 512)) * 512
  const bytes = Buffer.concat([sure, ruin(unsure, fate, sector)])
  return [bytes, fate === 'whole' ? '' : `${bytes.length} bytes, its unsynced part ${fate} (sector at ${sector})`]
}

function reachable(
  files: Map<Node, FoundFile>,
  folders: Map<Node, Map<string, Node>>,
  modes: Map<Node, number>,
): Pick<CrashState, 'files' | 'folders'> {
  const found = { files: new Map<string, FoundFile>(), folders: new Map<string, number>() }
  const walk: [string, Node][] = [['', rootNode]]
  for (const [path, node] of walk) {
    const file = files.get(node)
    if (file) found.files.set(path, file)
    const entries = folders.get(node)
    if (entries) found.folders.set(path, modes.get(node) ?? 0o700)
    for (const [name, child] of entries ?? []) walk.push([path === '' ? name : `${path}/${name}`, child])
  }
  return found
}

function ruin(bytes: Buffer, fate: Fate, sector: number): Buffer {
  if (fate === 'whole') return bytes
  if (fate === 'lost') return Buffer.alloc(0)
  if (fate === 'zeros') return Buffer.alloc(bytes.length)
  if (fate === 'prefix') return bytes.subarray(0, sector)
  const hole = Buffer.from(bytes)
  return hole.fill(0, sector, Math.min(sector + 512, hole.length))
}

/** Writes the state into an empty folder, as it is found some time later by a machine that was started again. */
export function materialise(state: CrashState, into: string): void {
  for (const [path, mode] of state.folders) {
    mkdirSync(join(into, path), { recursive: true })
    chmodSync(join(into, path), mode & 0o777)
  }
  for (const [path, { bytes, mode, mtimeMs }] of state.files) {
    const isLock = /(^|\/)lock(\.break-[^/]*)?$/.test(path)
    writeFileSync(join(into, path), isLock ? withDeadHolder(bytes) : bytes, { mode: mode & 0o777 })
    const seconds = (mtimeMs ?? Date.now() - 60_000) / 1000
    utimesSync(join(into, path), seconds, seconds)
  }
}

/** The process that wrote the lock did not live through the cut, though the test that plays it does. */
function withDeadHolder(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('utf8')
    .replace(/"pid":\d+/, '"pid":999999999')
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/**
 * Lets `run` work on `baseFolder` through a recording disk, then gives every state a power cut could have left, each in
 * a folder of its own, to `check`. Answers how many there were. A failure of `check` names the cut and what was lost.
 */
export async function everyCrashState(
  baseFolder: string,
  run: (ops: SimulatedDisk) => Promise<void>,
  check: (folder: string, cutAfter: number) => Promise<void>,
  options: { samplesPerCut: number; seed?: number },
): Promise<number> {
  const disk = new SimulatedDisk(baseFolder)
  await run(disk)
  let count = 0
  for (const state of crashStates(disk.log, { seed: options.seed ?? 1, samplesPerCut: options.samplesPerCut })) {
    const folder = mkdtempSync(join(tmpdir(), 'clew-cut-'))
    try {
      materialise(state, folder)
      await check(folder, state.cutAfter)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`after a power cut behind operation ${state.cutAfter} (${state.story}): ${reason}`, {
        cause: error,
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    count++
  }
  return count
}
