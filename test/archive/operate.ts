// One operation on one archive, as tests of faults do it in this process and in others: the same clock, the same order of
// system calls every time. It reports what is acknowledged on the way; it judges nothing.

import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { capture } from '../../src/archive/capture/capture.ts'
import { forget } from '../../src/archive/maintain/forget.ts'
import { type PruneRule, planPrune, prune } from '../../src/archive/maintain/prune.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { restoreFiles } from '../../src/archive/transfer/restore.ts'
import { FileError } from '../../src/files/error.ts'
import type { WriteOps } from '../../src/files/ops.ts'
import { repairLog } from '../../src/write/edit/repair.ts'
import { replaceLog } from '../../src/write/replace.ts'

export interface Operation {
  kind: 'run' | 'restore' | 'prune' | 'forget' | 'repair'
  /** The archive's folder. */
  archive: string
  /** For a run: the homes. */
  roots?: string[]
  /** For a restore: a folder; the homes where it is absent. */
  to?: string
  isOverwriting?: boolean
  /** For a restore: of main files the generation of this number. */
  generation?: number
  rule?: PruneRule
  session?: string
  /** For a repair in place: the log. */
  log?: string
}

/** `commit`: a segment is on the disk. `file`: a file is dealt with. `done`: the operation came back without an error. */
export type Ack = 'commit' | 'file' | 'done'

/** Every call with which the archive changes the disk. */
export type Call = keyof WriteOps

/** Told of each call before and after it; an error that is thrown before takes its place. */
export interface Watcher {
  before?(call: Call, target: string | number, act: Act): void
  after?(call: Call, target: string | number): void
}

/** For a fault that comes in the middle of a write. */
export interface Act {
  bytes?: Uint8Array
}

/** Calls that change nothing by themselves are not faulted. */
export const harmless: ReadonlySet<Call> = new Set<Call>(['close'])

/** The same operations with somebody watching. */
export function watchedOps(ops: WriteOps, watcher: Watcher): WriteOps {
  function watch<Value>(call: Call, target: string | number, act: () => Value, bytes?: Uint8Array): Value {
    watcher.before?.(call, target, bytes === undefined ? {} : { bytes })
    const value = act()
    watcher.after?.(call, target)
    return value
  }
  return {
    create: (path, mode) => watch('create', path, () => ops.create(path, mode)),
    write: (fd, bytes) => watch('write', fd, () => ops.write(fd, bytes), bytes),
    sync: fd => watch('sync', fd, () => ops.sync(fd)),
    close: fd => watch('close', fd, () => ops.close(fd)),
    rename: (from, to) => watch('rename', to, () => ops.rename(from, to)),
    link: (from, to) => watch('link', to, () => ops.link(from, to)),
    unlink: path => watch('unlink', path, () => ops.unlink(path)),
    makeFolder: (path, mode) => watch('makeFolder', path, () => ops.makeFolder(path, mode)),
    removeFolder: path => watch('removeFolder', path, () => ops.removeFolder(path)),
    syncFolder: path => watch('syncFolder', path, () => ops.syncFolder(path)),
    setTimes: (path, atimeMs, mtimeMs) => watch('setTimes', path, () => ops.setTimes(path, atimeMs, mtimeMs)),
    setMode: (path, mode) => watch('setMode', path, () => ops.setMode(path, mode)),
  }
}

/** Each look is four seconds after the one before: a run commits after two files, and none was changed just now. */
export function steppingClock(): () => number {
  let ms = Date.now() + 60_000
  return () => {
    ms += 4000
    return ms
  }
}

/** Throws where it fails, an FileError where the archive says why. Answers what could not be kept: `code file`. */
export async function operate(
  operation: Operation,
  ops: WriteOps,
  ack: (what: Ack) => void = () => {},
): Promise<string[]> {
  // A segment counts once its folder is on the disk.
  const committing = watchedOps(ops, {
    after(call, target) {
      if (call === 'syncFolder' && isManifest(String(target), operation)) ack('commit')
    },
  })
  const archive = new Archive(operation.archive, { ops: committing, now: steppingClock() })
  let findings: string[] = []
  if (operation.kind === 'run') findings = await run(archive, operation)
  else if (operation.kind === 'restore') await restore(archive, operation, ack)
  else if (operation.kind === 'prune') await prune(archive, await planPrune(archive, operation.rule ?? {}))
  else if (operation.kind === 'repair') await repair(archive, operation)
  else await forget(archive, operation.session ?? '')
  ack('done')
  return findings
}

function isManifest(folder: string, { archive }: Operation): boolean {
  return basename(folder) === 'manifest' && folder.startsWith(archive)
}

async function run(archive: Archive, { roots = [] }: Operation): Promise<string[]> {
  const { failure, findings } = await capture(archive, { roots })
  if (failure !== undefined) throw failure
  return findings.map(({ code, file }) => `${code} ${file}`)
}

/** Ids are numbered and time stands still: the same bytes every time. */
async function repair(archive: Archive, { log = '' }: Operation): Promise<void> {
  const before = readFileSync(log)
  let made = 0
  const newId = () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`
  const { lines, changes } = repairLog(before, { newId, now: () => Date.UTC(2026, 5, 1) })
  if (changes.length === 0) return
  const after = Buffer.from(lines.map(line => `${line}\n`).join(''))
  await replaceLog(archive, log, { before, after }, { clewHome: dirname(archive.layout.folder) })
}

async function restore(archive: Archive, operation: Operation, ack: (what: Ack) => void): Promise<void> {
  const { to, generation, isOverwriting = false } = operation
  const report = await restoreFiles(archive, {
    ...(to !== undefined && { to }),
    ...(generation !== undefined && { generation }),
    isOverwriting,
    now: Date.now(),
    progress: () => ack('file'),
  })
  const failed = report.files.find(({ status }) => status === 'failed' || status === 'in-use')
  if (failed !== undefined) throw new FileError(failed.status, `${failed.target}: ${failed.reason}`, failed.target)
}
