// Questions about the archive: what is in it, whether it is whole, and what changes it. Forgetting is in `forget.ts`, what a
// hook does in `hook.ts`. Nothing here prints or asks a person.

import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CaptureReport } from '../../archive/capture/capture.ts'
import { type MendReport, mendArchive } from '../../archive/maintain/mend.ts'
import { type PrunePlan, type PruneRule, planPrune, prune } from '../../archive/maintain/prune.ts'
import { type SalvagePlan, salvage } from '../../archive/maintain/salvage.ts'
import { type ArchiveStatusReport, archiveStatus } from '../../archive/maintain/status.ts'
import { type VerifyReport, verifyArchive } from '../../archive/maintain/verify.ts'
import { mayLackMore } from '../../archive/read/shortened.ts'
import { type ImportReport, importBackup, UnknownHomesError } from '../../archive/transfer/import.ts'
import { type RestoreReport, restoreFiles } from '../../archive/transfer/restore.ts'
import { discover } from '../../disk/discover/discover.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { FileError } from '../../files/error.ts'
import { canonicalPlace } from '../../files/place.ts'
import type { Finding } from '../../model/finding.ts'
import type { ArchiveStatus } from '../../schema/contract-shapes.ts'
import { archiveSettingOf, excludeRules, refuseOwnArchive } from '../archive-mode.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { withUserErrors } from '../file-errors.ts'
import { namedPath, typedPath } from '../paths.ts'
import { homesOf } from '../settings.ts'
import { captureWatched, existingArchive, liveDiscoveries, openArchive, refuseOff } from './archive-open.ts'
import { hasHook } from './hook.ts'
import { erasingFromIndex } from './index-erase.ts'
import { allNamed } from './named.ts'

export type { CaptureReport } from '../../archive/capture/capture.ts'
export { incompleteText } from '../../archive/format/manifest.ts'
export type { MendReport } from '../../archive/maintain/mend.ts'
export type { PrunedSession, PrunePlan, PruneRule } from '../../archive/maintain/prune.ts'
export type { SalvagedFile, SalvagePlan } from '../../archive/maintain/salvage.ts'
/** Salvaged files of no known name are in this folder. */
export { unknownFolder } from '../../archive/maintain/salvage.ts'
export type { ExpiringSession, PendingFile } from '../../archive/maintain/status.ts'
export type { DamagedPart, VerifyReport } from '../../archive/maintain/verify.ts'
export type { ImportReport, Skipped } from '../../archive/transfer/import.ts'
export type { RestoredFile, RestoreReport } from '../../archive/transfer/restore.ts'

/** Archives what is new in the homes in question. */
export async function archiveNow(clew: Clew): Promise<{ report: CaptureReport; isFirst: boolean }> {
  refuseOff(clew)
  const roots = homesOf(clew)
  if (roots.length === 0) throw new UserError('no Claude home found; --root PATH names one')
  for (const root of roots) refuseOwnArchive(root, clew)
  const archive = openArchive(clew)
  const isFirst = !archive.exists
  return { report: await withUserErrors(() => captureWatched(archive, roots, clew)), isFirst }
}

/** What `clew archive run --json` prints. */
export type ArchiveRun = Omit<CaptureReport, 'failure'> & { failure?: string }

export function printedRun({ failure, ...report }: CaptureReport): ArchiveRun {
  return { ...report, ...(failure !== undefined && { failure: failure.message }) }
}

export interface ArchiveState {
  status: ArchiveStatus
  /** The mode was chosen. */
  isChosen: boolean
  /** A Claude home was found. */
  hasHome: boolean
  /** Files and folders that may not be looked at: whether they are archived is not known. */
  unread: Finding[]
}

/** What is archived, what is not yet, and what Claude Code will delete when. */
export async function archiveState(clew: Clew): Promise<ArchiveState> {
  const archive = openArchive(clew)
  const roots = homesOf(clew)
  const discoveries = await Promise.all(roots.map(root => discover(root, diskTree)))
  const report: ArchiveStatusReport = await withUserErrors(() =>
    archiveStatus(archive, { roots, discoveries, exclude: excludeRules(clew), retention: new Retention() }),
  )
  const { mode, isChosen } = archiveSettingOf(clew)
  const { exists, layout } = archive
  const unread = discoveries.flatMap(({ findings }) => findings).filter(({ code }) => code.startsWith('unreadable'))
  const schedule: ArchiveStatus['schedule'] = hasHook(clew) ? ['hook'] : []
  const status = { folder: layout.folder, exists, mode, schedule, ...report }
  return { status, isChosen, hasHome: roots.length > 0, unread }
}

/** Whether every bit is as it was written; `mends` repairs what it can first. */
export async function verify(
  clew: Clew,
  { isQuick = false, mends = false }: { isQuick?: boolean; mends?: boolean },
): Promise<VerifyReport & { mended?: MendReport }> {
  const archive = existingArchive(clew)
  const mended = mends ? await withUserErrors(() => mendArchive(archive)) : undefined
  archive.reload()
  const report = await withProgress(clew, 'verifying', progress => verifyArchive(archive, { isQuick, progress }))
  return { ...report, ...(mended !== undefined && { mended }) }
}

interface RestoreQuery {
  /** Ids, beginnings of ids or titles, `ID@2` for the second generation; everything where absent. */
  sessions?: readonly string[]
  generation?: number
  /** A folder in the place of where they were. */
  to?: string
  isOverwriting: boolean
  keepsTimes: boolean
}

/** Puts files back. `isIncomplete`: lines of the manifest are lost, so that more may be missing. */
export async function restore(clew: Clew, query: RestoreQuery): Promise<RestoreReport & { isIncomplete: boolean }> {
  const { sessions, to: named, generation: number, ...how } = query
  const { names, generation } = generationNamed(sessions, number)
  const archive = existingArchive(clew)
  const to = named === undefined ? undefined : targetOf(named)
  const report = await withProgress(clew, 'restoring', async progress =>
    restoreFiles(archive, {
      ...how,
      ...(names !== undefined && { sessions: await allNamed(archive, names, clew) }),
      ...(to !== undefined && { to }),
      ...(generation !== undefined && { generation }),
      exclude: excludeRules(clew),
      progress,
    }),
  )
  return { ...report, isIncomplete: mayLackMore(archive) }
}

/** One generation for all that are named. */
function generationNamed(words: readonly string[] | undefined, given: number | undefined) {
  const numbers = new Set(given === undefined ? [] : [given])
  const names = words?.map(text => {
    const found = /^(.+)@(\d{1,6})$/s.exec(text)
    if (found === null) return text
    numbers.add(Number(found[2]))
    return found[1] ?? text
  })
  const isMixed =
    numbers.size > 1 || (given === undefined && numbers.size > 0 && words?.some(one => names?.includes(one)))
  if (isMixed) throw new UserError('restore takes one generation at a time; name the others in a second command')
  return { names, generation: [...numbers][0] }
}

function targetOf(named: string): string {
  if (named.trim() === '') throw new UserError('--to needs the name of a folder')
  const to = namedPath(named)
  if (statSync(to, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new UserError(`${to} is a file; --to needs a folder, which need not be there yet`)
  return to
}

/** What a rule would remove. A project is a path, or the name of a project folder. */
export function pruning(clew: Clew, rule: PruneRule): Promise<PrunePlan> {
  const archive = existingArchive(clew)
  const projects = rule.projects?.map(projectText)
  const all = { ...rule, ...(projects !== undefined && { projects }) }
  return withUserErrors(async () => planPrune(archive, all, await liveDiscoveries(archive, clew)))
}

/** The name of a project folder stays as it is; anything else is a path. */
function projectText(text: string): string {
  return /^-?[A-Za-z0-9-]+$/.test(text) ? text : namedPath(text)
}

/** Removes it from archive and index. `left`: why the index may still have words of it. */
export async function carryOutPruning(
  clew: Clew,
  plan: PrunePlan,
  options: { evenIfDamaged: boolean },
): ReturnType<typeof erasingFromIndex<Awaited<ReturnType<typeof prune>>>> {
  const erased = { generations: plan.generations.map(({ id }) => id) }
  return withUserErrors(() => erasingFromIndex(clew, erased, () => prune(existingArchive(clew), plan, options)))
}

/** Puts together what the packs have of files whose lines in the manifest are lost, in a folder that is empty or not there. */
export async function salvageInto(clew: Clew, named: string): Promise<SalvagePlan & { folder: string }> {
  const archive = existingArchive(clew)
  const folder = namedPath(named)
  refuseOwnArchive(folder, clew)
  return { folder, ...(await withUserErrors(() => salvage(archive, folder))) }
}

export interface ImportQuery {
  /** A backup of a Claude home, or a copy of an archive. */
  source: string
  /** The Claude home that files of a backup are taken to belong to; the first in question where absent. */
  as?: string
  /** What homes that an archive names are called here. */
  homeMap: ReadonlyMap<string, string>
  /** Whether it may be very much more than it takes on the disk. */
  mayExpand: boolean
}

/** What somebody has to answer before anything is taken in. */
export type ImportDoubt = { unknownHomes: readonly string[] } | { expands: string }

/** Takes in a backup; gives what is in doubt instead where there is something, and then nothing was taken in. */
export async function importFrom(
  clew: Clew,
  query: ImportQuery,
): Promise<{ report: ImportReport; home: string } | { doubt: ImportDoubt }> {
  refuseOff(clew)
  const source = namedPath(query.source)
  if (!existsSync(source)) throw new UserError(`there is no ${source}`)
  for (const own of [source, join(source, 'archive')]) refuseOwnArchive(own, clew)
  const home = homeFor(query.as, clew)
  const homeMap = new Map([...query.homeMap].map(([from, to]) => [from, placeOfHome(to)]))
  const how = { as: home, exclude: excludeRules(clew), known: homesOf(clew), homeMap, mayExpand: query.mayExpand }
  return withUserErrors(async () => {
    try {
      const report = await withLine(clew, 'importing', progress =>
        importBackup(openArchive(clew), source, { ...how, progress }),
      )
      return { report, home }
    } catch (error) {
      if (error instanceof UnknownHomesError) return { doubt: { unknownHomes: error.homes } }
      if (error instanceof FileError && error.code === 'expands') return { doubt: { expands: error.message } }
      throw error
    }
  })
}

/** The named one, else the first there is, else the usual place. */
function homeFor(named: string | undefined, clew: Clew): string {
  if (named === '') throw new UserError('--as needs the path of a Claude home')
  return placeOfHome(named ?? homesOf(clew)[0] ?? join(homedir(), '.claude'))
}

function placeOfHome(path: string): string {
  return canonicalPlace(typedPath(path))
}

function withProgress<Value>(
  clew: Clew,
  what: string,
  work: (progress: (bytes: number) => void) => Promise<Value>,
): Promise<Value> {
  return withUserErrors(() => withLine(clew, what, work))
}

/** The line of progress goes when the work ends. */
async function withLine<Value>(
  { listener }: Clew,
  what: string,
  work: (progress: (bytes: number) => void) => Promise<Value>,
): Promise<Value> {
  const line = listener.progress(what)
  try {
    return await work(bytes => line.add(bytes))
  } finally {
    line.end()
  }
}
